import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { BudgetScope, budgetPeriods } from '../../shared/domain/budgets/budget/budget.ts';
import type { WrittenBudget } from '../../shared/domain/budgets/budget-store.ts';
import { toBudgetView } from '../../shared/domain/budgets/budget-view.ts';

export const BudgetParams = z.object({ id: resourceId('budget') });

const dollars = (description: string) =>
  z.string().meta({ description: `USD as decimal text: ${description}` });

export const BudgetResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: BudgetScope,
    period: z.enum(budgetPeriods),
    limit: z.string(),
    timezone: z.string(),
    action: z.enum(['alert', 'block']),
    alertAt: z.array(z.number()),
    notify: z.object({
      webhookUrl: z.string().optional(),
      emails: z.array(z.string()),
      secret: z.string().optional().meta({
        description:
          'The key that signs what the webhook gets. Shown by the response that made it, and never again',
      }),
    }),
    spent: dollars('what calls have cost in the period'),
    reserved: dollars('what running processes have set aside for their calls'),
    remaining: dollars('the limit without what is spent and reserved'),
    periodStart: z.iso.datetime(),
    resetsAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the next period begins; null for `total`' }),
    status: z.enum(['ok', 'alerted', 'blocked']).meta({
      description:
        '`alerted`: a threshold is reached. `blocked`: the limit is reached, or a call was refused in the period',
    }),
    uncounted: z.boolean().meta({
      description: 'Whether a model without a price was called in the period, which does not count',
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({
    id: 'Budget',
    examples: [
      {
        id: 'budget_01k9m4v7d3x8qz5w2r6t0y1hbn',
        name: 'All of November',
        scope: { type: 'tenant' },
        period: 'month',
        limit: '25.00',
        timezone: 'UTC',
        action: 'block',
        alertAt: [50, 80, 100],
        notify: { emails: ['ada@example.com'] },
        spent: '12.5',
        reserved: '0.02',
        remaining: '12.48',
        periodStart: '2026-11-01T00:00:00.000Z',
        resetsAt: '2026-12-01T00:00:00.000Z',
        status: 'alerted',
        uncounted: false,
        createdAt: '2026-11-01T09:30:00.000Z',
        updatedAt: '2026-11-01T09:30:00.000Z',
      },
    ],
  });

/** @param secret Shown once. */
export function toBudgetResponse({ budget, secret }: WrittenBudget, now: Date) {
  const view = toBudgetView(budget, now);
  return { ...view, notify: { ...view.notify, ...(secret !== undefined && { secret }) } };
}
