import type { ReactNode } from 'react';
import { countText, plural } from './language.ts';
import { sentence } from './sentence.ts';

export const homeTexts = {
  range: 'Range',
  twentyFourHours: '24 hours',
  twentyFourHoursShort: '24 h',
  sevenDaysShort: '7 d',
  thirtyDaysShort: '30 d',

  last: (range: string) => `The last ${range}`,
  before: (range: string) => `the ${range} before`,
  failureRate: 'Failure rate',
  failedOf: (failed: number, runs: number) => `${countText(failed)} of ${countText(runs)} failed`,
  medianDuration: 'Median duration',
  p95: (duration: string) => `p95 ${duration}`,
  p95Changed: (duration: string, change: string) => `p95 ${duration}, ${change}`,
  overTenTimes: 'over 10 times',
  points: (points: string) => `${points} points`,
  noChange: 'no change',
  up: (by: string) => `up ${by}`,
  down: (by: string) => `down ${by}`,
  against: (before: string) => `against ${before}`,
  againstTitle: (before: string) => `Against ${before}`,
  changeAgainst: (change: string, before: string) => `${change} against ${before}`,
  nothingIn: (before: string) => `nothing in ${before}`,

  costBy: 'Cost by',
  withoutFlow: 'Without a flow',
  withoutAgent: 'Without an agent',
  unknown: 'Unknown',
  noCost: (range: string) => `No cost in the last ${range}`,
  aboutCost: 'Calls of models with a known price show here.',
  costByOver: (by: string, range: string) => `Cost by ${by}, the last ${range}`,
  mostCostly: (name: string, cost: string) => `${name} cost the most: ${cost}.`,
  more: (more: number) => `${more} more`,

  allRuns: 'All runs',
  runsByOutcome: (range: string) => `Runs by outcome, the last ${range}`,
  endedAndFailed: (runs: number, failed: number) =>
    plural(runs, {
      one: `# run ended, ${countText(failed)} of them failed.`,
      other: `# runs ended, ${countText(failed)} of them failed.`,
    }),
  cancelled: 'Cancelled',

  recentFailures: 'Recent failures',
  allFailedRuns: 'All failed runs',
  noRunFailed: (range: string) => `No run failed in the last ${range}`,
  ofNewestFailedRuns: (runs: number) => `Of the newest ${countText(runs)} failed runs.`,
  failureReason: (code: ReactNode, times: number, last: ReactNode, names: string) =>
    sentence`${code} ${plural(times, { one: 'once', other: '# times' })}, last ${last}, in ${names}`,
  andMore: (names: string, more: number) => `${names} and ${more} more`,

  running: 'Running',
  nothingIsRunning: 'Nothing is running',
  doneOf: (done: number, all: number) => `${countText(done)} of ${countText(all)}`,
  nothingIsWaiting: 'Nothing is waiting',
  waitsFor: 'Waits for',
  allQuestions: (questions: number) => `All ${countText(questions)} questions`,
  timeOrApproval: 'a time or an approval',
  approvalOrTool: 'an approval or a tool',

  getStarted: 'Get started',
  doneCount: (done: number, all: number) => `${done} of ${all} done`,
  dismiss: 'Dismiss',
  done: 'done',
  toDo: 'to do',
  connectModel: 'Connect a model',
  addKeyOfProvider: 'Add the key of a provider, such as OpenAI or Anthropic.',
  addKey: 'Add a key',
  aboutRecords:
    'Records are what flows work on. Load some support tickets, or upload a CSV file of your own.',
  tryFlow: 'Try a flow',
  createFlowFromTemplate: 'Create one from a template, and run it on a sample record.',
  chooseTemplate: 'Choose a template',
  createApiKey: 'Create an API key',
  aboutApiKeys: 'Your programs start flows and agents with it.',
  startFromTemplate: 'Start from a template',
  nothingHasRunYet: 'Nothing has run yet. One click creates a flow or an agent, with sample records.',
  allTemplates: 'All templates',
};
