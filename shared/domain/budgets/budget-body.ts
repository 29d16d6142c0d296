import Big from 'big.js';
import * as z from 'zod';
import { payerTypes } from '../../adapters/ports/payer.ts';
import { resourceId } from '../../core/ids.ts';
import { nameUpTo } from '../../core/name.ts';
import { isTimeZone } from '../../core/time.ts';
import { uniqueAddresses } from '../../platform/http/validation.ts';
import { ServerUrl } from '../flows/steps/http-config.ts';
import { budgetPeriods } from './budget/budget.ts';

const idPrefixes = {
  flow: 'flow',
  agent: 'agent',
  product: 'product',
  surface: 'surface',
  apiKey: 'key',
  clientToken: 'clienttoken',
  modelConfig: 'modelcfg',
} as const;

const [tenant, ...others] = payerTypes;

const Scope = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal(tenant) }),
    ...others.map((type) => z.strictObject({ type: z.literal(type), id: resourceId(idPrefixes[type]) })),
  ])
  .meta({ description: 'Whose calls of models count: all of the tenant, or those of one resource' });

/** USD. Twelve decimals are finer than the price of any token. */
const Limit = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,8})(?:\.\d{1,12})?$/, {
    error: 'Expected USD as decimal text such as "25.00", with at most 12 decimals',
    abort: true,
  })
  .refine((text) => new Big(text).gt(0), 'Expected more than 0')
  .meta({ description: 'USD as decimal text' });

const Notify = z.strictObject({
  webhookUrl: ServerUrl.optional().meta({
    description:
      'Gets `budget.threshold`, signed by Standard Webhooks with the `secret` that the first response shows; a webhook of Slack or Teams its own form of message',
  }),
  emails: z.array(z.email().max(254)).max(10).check(uniqueAddresses).optional(),
});

const members = {
  name: nameUpTo(100),
  scope: Scope,
  period: z.enum(budgetPeriods).meta({ description: 'Weeks begin on Monday. `total` never begins anew' }),
  limit: Limit,
  timezone: z.string().max(100).refine(isTimeZone, 'Expected an IANA time zone such as Europe/Berlin').meta({
    description: 'In which periods begin',
  }),
  action: z.enum(['alert', 'block']).meta({
    description: '`block` refuses calls that would exceed the limit; `alert` only tells of thresholds',
  }),
  alertAt: z
    .array(z.number().positive().max(1_000))
    .max(10)
    .refine((list) => new Set(list).size === list.length, 'Expected each percentage once')
    .meta({ description: 'Percentages of the limit. Each is told of once in a period' }),
  notify: Notify,
};

export const NewBudget = z
  .strictObject({
    ...members,
    timezone: members.timezone.default('UTC'),
    alertAt: members.alertAt.default([50, 80, 100]),
    notify: members.notify.default({}),
  })
  .meta({
    examples: [
      {
        name: 'All of November',
        scope: { type: 'tenant' },
        period: 'month',
        limit: '25.00',
        action: 'block',
        notify: { emails: ['ada@example.com'] },
      },
    ],
  });
export type NewBudget = z.output<typeof NewBudget>;

export const BudgetChange = z
  .strictObject(members)
  .partial()
  .meta({ examples: [{ limit: '50.00' }] });
export type BudgetChange = z.output<typeof BudgetChange>;
