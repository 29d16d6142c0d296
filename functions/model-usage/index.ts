import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getModelUsage } from './get.ts';

export const modelUsageGroup = {
  description: 'What the model calls of all runs used and cost.',
  endpoints: [getModelUsage],
} as const satisfies EndpointGroup;
