import type { Group } from '../../shared/platform/http/group.ts';
import { getUsageLimits } from './get.ts';

export const usageLimitsGroup = {
  description: 'How much of its rate limits the credential has used.',
  endpoints: [getUsageLimits],
} as const satisfies Group;
