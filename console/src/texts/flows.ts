import { countText, plural } from './language.ts';

export const flowTexts = {
  noMatchingFlows: 'No matching flows',
  noFlowsYet: 'No flows yet',
  aboutFlows: 'A flow is a list of steps that runs on a record: prompts, scripts, requests, conditions.',
  flowDeleted: 'Flow deleted',
  deleteThisFlow: 'Delete this flow?',
  versionsAreDeletedToo:
    'Its versions and results are deleted too, and products do not offer it any more. This cannot be undone.',
  copyFlowId: 'Copy flow ID',
  versionsOfThemAreDeletedToo:
    'Their versions and results are deleted too, and products do not offer them any more.',

  stepsReallyRun: 'The steps really run: they send, store and cost what they say.',
  flowHasNoSteps: 'The flow has no steps',
  aboutTrying: 'Each step shows here what it got, what it made, and how long it took.',

  savingMakesDraft: 'Saving the steps makes a draft, which you publish here.',
  publishedNumber: (version: number) => `${version} (published)`,
  version: (number: string) => `Version ${number}`,
  newRunsUseThisVersion: 'New runs use this version',
  publishQuestion: 'New runs use this version. Those that have begun keep theirs.',
  differences: 'Differences',
  from: 'From',
  to: 'To',
  stepsAreSame: 'The steps are the same',
  stepsDiffer: (steps: number) => plural(steps, { one: '# step differs', other: '# steps differ' }),
  moved: 'moved',
  movedAndChanged: 'moved and changed',

  noRecordsToRunOn: 'No records to run on',
  uploadOrBeginWithSamples: 'Upload records of your own, or begin with sample data.',
  runsPublishedVersion: 'Runs the published version; the draft if none is published.',
  recordType: 'Record type',
  filterMatchesTooMany: (most: number) =>
    `A run with a filter takes up to ${countText(most)} records. Narrow it, or run on all records.`,
  concurrency: 'Concurrency',
  fromTo: (least: number, most: number) => `${least} to ${most}`,
  retriesPerRecord: 'Retries per record',
  retriesFromTo: (least: number, most: number) => `${least} to ${most}, from its failed step on`,
  priorityHelp: 'Among runs that want more places than there are: 8 : 3 : 1',
  wholeNumberFromTo: (least: number, most: number) => `A whole number from ${least} to ${most}`,
  reuseUnchanged: 'Reuse unchanged results',
  reuseHelp: 'A step whose request is the same as before takes over its result instead of being paid again.',
  recompute: 'Recompute',
  recomputeHelp:
    'Runs a version again where something changed: a step whose request is the same as before takes over its result and is not paid again.',
  recomputeCount: (records: number) =>
    plural(records, { one: 'Recompute # record', other: 'Recompute # records' }),
  recomputeAll: 'Recompute all records',
  savedDraft: 'Draft as saved',
  starting: 'Starting …',
  runOnCount: (records: number) => plural(records, { one: 'Run on # record', other: 'Run on # records' }),
  runOnAll: 'Run on all records',
  noRecordMatchesAnyMore: 'No record matches any more',
  tooManyRecordsMatch: (most: number) => `More than ${countText(most)} records match. Narrow the filter`,
};
