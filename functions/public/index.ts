import type { Group } from '../../shared/platform/http/group.ts';
import { validateFlow } from './validate-flow.ts';

export const publicGroup = {
  description: 'Endpoints that need no credential.',
  endpoints: [validateFlow],
} as const satisfies Group;
