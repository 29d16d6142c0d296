import type { ReactNode } from 'react';
import { countText, plural } from './language.ts';
import { sentence } from './sentence.ts';
import { sharedTexts } from './shared.ts';

export const usageTexts = {
  period: 'Period',
  lastSevenDays: 'The last 7 days',
  lastThirtyDays: 'The last 30 days',
  lastYear: 'The last 365 days',
  daysOfYear: '365 days',

  thisMonth: 'This month',
  costToday: 'Cost today',
  costThisMonth: 'Cost this month',
  tokensToday: 'Tokens today',
  tokensThisMonth: 'Tokens this month',
  callsWithoutPrice: (calls: string) =>
    `${calls} calls went to models without a known price. They are not in the costs.`,

  noModelCalls: 'No model calls in this period',
  costOfCalls: (cost: string, calls: number, tokens: string) =>
    plural(calls, { one: `${cost} for # call with ${tokens}`, other: `${cost} for # calls with ${tokens}` }),
  cached: (tokens: number, cost: string, { isLoss }: { isLoss: boolean }) =>
    isLoss
      ? `Caches of the providers served ${sharedTexts.tokenCount(tokens)}, and cost ${cost} more than they saved`
      : `Caches of the providers served ${sharedTexts.tokenCount(tokens)}, which saved ${cost}`,
  cachedTokens: 'Cached tokens',
  cacheSavings: 'Saved by caches',
  costByDay: 'Cost by day',
  costByWeek: 'Cost by week',
  costInAll: (cost: string) => `${cost} in all.`,
  noKnownCost: 'No call in this period had a known price.',
  callsByDay: 'Calls by day',
  callsByWeek: 'Calls by week',
  callsInAll: (calls: number) => plural(calls, { one: '# call in all.', other: '# calls in all.' }),
  byModel: 'By model',
  usageByModel: 'Usage by model',
  share: 'Share',
  moreModels: (models: number) =>
    plural(models, { one: '# more model costs less', other: '# more models cost less' }),

  byApiKey: 'By API key',
  aboutUsageByKey: 'Runs that ended in this period, by the key that started them.',
  usageByApiKey: 'Usage by API key',
  noRunsInThisPeriod: 'No runs in this period',
  noApiKey: 'No API key: sessions, surfaces, schedules',
  deletedKey: (id: string) => `A deleted key, ${id}`,
  requestsOfSession: 'Requests of this session or key',
  thisHour: 'This hour',
  thisDay: 'This day',
  used: (period: string, used: number, limit: number) =>
    `${period}: ${countText(used)} of ${countText(limit)}`,
  resets: (time: ReactNode) => sentence`Resets ${time}`,
};
