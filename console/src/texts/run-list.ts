import { countText, listed, plural } from './language.ts';
import { sentence, type Wrap } from './sentence.ts';

export const runListTexts = {
  aboutRuns: (flow: Wrap, agent: Wrap) =>
    sentence`Runs of flows, batches, agents and tools appear here. ${flow('Open a flow')} or ${agent('an agent')} to start one.`,
  noRunsMatch: 'No runs match',
  preview: 'Preview',
  closePreview: 'Close preview',

  cancelRuns: 'Cancel runs',
  cancelQuestion: (runs: number) => plural(runs, { one: 'Cancel # run?', other: 'Cancel # runs?' }),
  canBeCancelled: (open: number, selected: number) =>
    `${countText(open)} of the ${countText(selected)} selected runs can be cancelled. The others are over.`,
  runsStop:
    'They stop within seconds, agents with their sub-agents; records of a batch that are running finish. What was done is not undone.',
  cancelledOf: (done: number, all: number) => `Cancelled ${countText(done)} of ${countText(all)}`,
  runsCancelled: (runs: number) => plural(runs, { one: '# run cancelled', other: '# runs cancelled' }),

  filters: 'Filters',
  addFilter: 'Add filter',
  clearFilters: 'Clear filters',
  removeFilter: (filter: string) => `Remove filter ${filter}`,
  apply: 'Apply',
  use: (id: string) => `Use ${id}`,
  searchOrPasteId: 'Search, or paste an ID',
  pasteId: (prefix: string) => `Paste an ID: ${prefix}_…`,
  noMatch: 'No match',

  pastHour: 'past hour',
  past24Hours: 'past 24 hours',
  past7Days: 'past 7 days',
  past30Days: 'past 30 days',
  errorContains: 'Error contains',
  partOfErrorMessage: 'Part of the error message. Case does not matter.',
  tag: 'Tag',
  durationAtLeast: 'Duration at least',
  inMilliseconds: 'In milliseconds.',
  costAtLeast: 'Cost at least',
  inUsDollars: 'In US dollars.',
  startedAfter: 'Started after',
  startedBefore: 'Started before',
  schedule: 'Schedule',
  included: 'included',
  aboutNestedRuns: 'Runs that other runs started: sub-agents, and flows as tools.',

  filtersNotReadable: 'The filters in the address cannot be read',
  noSuchFilter: (name: string) => `There is no filter “${name}”`,
  isNotOneOf: (value: string, allowed: readonly string[]) => `“${value}” is not one of ${allowed.join(', ')}`,
  isNotAnId: (value: string, forms: readonly string[]) =>
    `“${value}” is not an ID (${listed(forms, 'disjunction')})`,
  enterText: 'Enter a text',
  isNotADate: (value: string) => `“${value}” is not a date with a time and a zone`,
  isNotAWholeNumber: (value: string) => `“${value}” is not a whole number`,
  isNotAnAmount: (value: string) => `“${value}” is not an amount`,
  rangeIsReversed: '“Started before” is earlier than “Started after”',
};
