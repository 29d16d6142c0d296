import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getUsageLimits } from './get.ts';

export const usageLimitsGroup = {
  description: 'The rate limits of the credential and their usage.',
  endpoints: [getUsageLimits],
} as const satisfies EndpointGroup;
