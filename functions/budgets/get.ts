import { budgetReader } from '../../shared/domain/budgets/budget-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BudgetParams, BudgetResponse, toBudgetResponse } from './schemas.ts';

export const getBudget = defineEndpoint({
  id: 'budgets.get',
  method: 'GET',
  path: '/v1/budgets/{id}',
  permission: 'BUDGETS:READ',
  summary: 'Get a budget',
  description:
    'What running processes have spent since their last write is part of `reserved`, and of `spent` within a second or when their call ends.',
  params: BudgetParams,
  response: { kind: 'json', bodies: { 200: BudgetResponse } },
  errors: [400, 404],
  needs: { budgets: budgetReader, now: clock },

  handle: async ({ params }, { budgets, now }) =>
    toBudgetResponse({ budget: await budgets.find(params.id) }, now()),
});

export const handler = toLambda(getBudget);
