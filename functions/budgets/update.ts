import { BudgetChange } from '../../shared/domain/budgets/budget-body.ts';
import { budgetWriter } from '../../shared/domain/budgets/budget-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BudgetParams, BudgetResponse, toBudgetResponse } from './schemas.ts';

export const updateBudget = defineEndpoint({
  id: 'budgets.update',
  method: 'PUT',
  path: '/v1/budgets/{id}',
  permission: 'BUDGETS:WRITE',
  summary: 'Change a budget',
  description:
    'Missing members stay unchanged; `notify` is replaced as a whole. A new limit holds at once, for what is spent in the period already. A first `webhookUrl` makes `notify.secret`, which this response alone shows.',
  params: BudgetParams,
  body: BudgetChange,
  response: { kind: 'json', bodies: { 200: BudgetResponse } },
  errors: [400, 404, 409],
  needs: { budgets: budgetWriter, now: clock },

  handle: async ({ params, body, principal }, { budgets, now }) =>
    toBudgetResponse(await budgets.update(principal, params.id, body), now()),
});

export const handler = toLambda(updateBudget);
