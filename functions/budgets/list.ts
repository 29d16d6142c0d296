import * as z from 'zod';
import { budgetReader } from '../../shared/domain/budgets/budget-store.ts';
import { CursorPagination, CursorQuery, paginateAll } from '../../shared/platform/data/lists/pages.ts';
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
  description: 'Newest first.',
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(BudgetResponse), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { budgets: budgetReader, now: clock },

  async handle({ query }, { budgets, now }) {
    const at = now();
    const { rows, pagination } = paginateAll(await budgets.list(), 'budget', query);
    return { data: rows.map((budget) => toBudgetResponse({ budget }, at)), pagination };
  },
});

export const handler = toLambda(listBudgets);
