import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { applyWorkspace } from './apply.ts';
import { getWorkspace } from './get.ts';
import { planWorkspace } from './plan.ts';

export const workspaceGroup = {
  description:
    'Keep flows, agents, tools, models, products and budgets in a document: export, compare and apply it.',
  endpoints: [getWorkspace, planWorkspace, applyWorkspace],
} as const satisfies EndpointGroup;
