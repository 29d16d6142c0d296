import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { receiveWebhook } from './receive.ts';

/** A group of its own: its role may read signing secrets, and starts runs without running them. */
export const surfaceWebhooksGroup = {
  description: 'Run what a product exposes, when another service sends an event.',
  endpoints: [receiveWebhook],
} as const satisfies EndpointGroup;
