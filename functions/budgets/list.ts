import * as z from 'zod';
import { budgetReader } from '../../shared/domain/budgets/budget-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BudgetResponse, toBudgetResponse } from './schemas.ts';

export const listBudgets = defineEndpoint({
  id: 'budgets.list',
  method: 'GET',
  path: '/v1/budgets',
  permission: 'BUDGETS:READ',
  summary: 'List budgets',
  description: 'Returns all budgets, oldest first.',
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(BudgetResponse), total: z.int() }) },
  },
  needs: { budgets: budgetReader, now: clock },

  async handle(_request, { budgets, now }) {
    const at = now();
    const data = (await budgets.list()).map((budget) => toBudgetResponse({ budget }, at));
    return { data, total: data.length };
  },
});

export const handler = toLambda(listBudgets);
