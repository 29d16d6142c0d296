import { NewBudget } from '../../shared/domain/budgets/budget-body.ts';
import { budgetWriter } from '../../shared/domain/budgets/budget-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BudgetResponse, toBudgetResponse } from './schemas.ts';

export const createBudget = defineEndpoint({
  id: 'budgets.create',
  method: 'POST',
  path: '/v1/budgets',
  permission: 'BUDGETS:WRITE',
  summary: 'Create a budget',
  description: `Limits what calls of models may cost in a period. With \`block\`, the highest cost of each call is set aside before it is made, so that \`spent\` never exceeds \`limit\`, however many runs there are: a call that would exceed it is not made and fails with the code \`BUDGET_EXCEEDED\`, without a retry and without a fallback. A request that states no limit for its response gets one: that of the model, or the longest that the budget pays for, at least 256 tokens. What may call a model does not start (402) once \`spent\` has reached \`limit\`.

Where several budgets apply, all must agree. Calls of models without a price do not count; \`uncounted\` says so. With \`block\`, a name that is neither in the catalog nor a model config is refused where it may be another name of a model with a price: at each provider of the catalog, and at a generic server once a config states a price of one of its models. What a process that died has set aside is released after 15 minutes.

Each threshold of \`alertAt\` is told of once in a period, to the webhook and to each email address. The webhook gets \`{type: "budget.threshold", timestamp, data: {budgetId, name, threshold, spent, limit, periodStart}}\`, signed by Standard Webhooks with \`notify.secret\`, which this response alone shows. 409 if the tenant has 100 budgets.`,
  body: NewBudget,
  response: { kind: 'json', bodies: { 201: BudgetResponse } },
  shownOnce: ['notify.secret'],
  errors: [400, 409],
  needs: { budgets: budgetWriter, now: clock },

  handle: async ({ body, principal }, { budgets, now }) =>
    toBudgetResponse(await budgets.create(principal, body), now()),
});

export const handler = toLambda(createBudget);
