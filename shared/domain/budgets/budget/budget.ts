import * as z from 'zod';
import { type Payer, payerTypes } from '../../../adapters/ports/payer.ts';
import { defineEntity } from '../../../platform/data/entity.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';
import { WholeNumber } from '../../model-usage/cost-units.ts';

export const BudgetScope = z.object({ type: z.enum(payerTypes), id: z.string().optional() });
export type BudgetScope = z.infer<typeof BudgetScope>;

export const budgetPeriods = ['hour', 'day', 'week', 'month', 'total'] as const;

/** What a process has set aside for its calls, and until when. Afterwards it counts as dead, and others may release it. */
const Hold = z.object({
  amount: WholeNumber,
  until: z.string(),
  /** Of each write another one. */
  version: z.string(),
});

/**
 * One item has a budget and what is spent of it, so that a conditional write decides. Amounts are in stored units
 * (`cost-units.ts`); `left` is the limit without what is spent and held.
 */
export const Budget = z.object({
  id: z.string(),
  name: z.string(),
  scope: BudgetScope,
  period: z.enum(budgetPeriods),
  timezone: z.string(),
  /** USD as decimal text. */
  limit: z.string(),
  action: z.enum(['alert', 'block']),
  /** Percentages of the limit, rising. */
  alertAt: z.array(z.number()),
  webhookUrl: z.string().optional(),
  /** The encrypted key that signs what the webhook gets. */
  sealedSecret: z.string().optional(),
  emails: z.array(z.string()),
  /** When the period began to which the members below belong. ISO. */
  periodStart: z.string(),
  left: WholeNumber,
  spent: WholeNumber,
  holds: z.record(z.string(), Hold),
  /** The thresholds of `alertAt` that somebody was told of. */
  alerted: z.array(z.number()),
  /** Whether a call was refused. */
  refused: z.boolean(),
  /** Whether a model without a price was called. */
  uncounted: z.boolean(),
  /** Counts the changes by people. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Budget = z.infer<typeof Budget>;

/** What decides which models a tenant calls and how much they may cost: whoever calls one reads it all with one Query. */
export const modelsPartition = tenantPartition('MODELS');

export const budgetEntity = defineEntity({
  type: 'budget',
  noun: 'budget',
  schema: Budget,
  key: ({ id }: { id: string }) => ({ PK: modelsPartition, SK: `BUDGET#${id}` }),
});

/** Whether a budget is for one of these. */
export const isFor = ({ scope }: Pick<Budget, 'scope'>, payers: readonly Payer[]): boolean =>
  scope.type === 'tenant' || payers.some(({ type, id }) => type === scope.type && id === scope.id);
