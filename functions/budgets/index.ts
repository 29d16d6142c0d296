import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createBudget } from './create.ts';
import { deleteBudget } from './delete.ts';
import { getBudget } from './get.ts';
import { listBudgets } from './list.ts';
import { updateBudget } from './update.ts';

export const budgetsGroup = {
  description: 'Limits for what calls of models may cost.',
  endpoints: [listBudgets, createBudget, getBudget, updateBudget, deleteBudget],
} as const satisfies EndpointGroup;
