import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getRunMetrics } from './get.ts';

export const runMetricsGroup = {
  description: 'Metrics of runs over time: how many, how long, what they cost.',
  endpoints: [getRunMetrics],
} as const satisfies EndpointGroup;
