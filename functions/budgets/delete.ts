import * as z from 'zod';
import { budgetWriter } from '../../shared/domain/budgets/budget-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BudgetParams } from './schemas.ts';

export const deleteBudget = defineEndpoint({
  id: 'budgets.delete',
  method: 'DELETE',
  path: '/v1/budgets/{id}',
  permission: 'BUDGETS:WRITE',
  summary: 'Delete a budget',
  description: 'Running calls go on, and nothing limits the next ones.',
  params: BudgetParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404],
  needs: { budgets: budgetWriter },
  handle: ({ params, principal }, { budgets }) => budgets.remove(principal, params.id),
});

export const handler = toLambda(deleteBudget);
