import type { Group } from '../../shared/platform/http/group.ts';
import { dispatch } from './run.ts';

export const dispatchGroup = {
  description: 'Run a flow at once, and follow it as it runs.',
  endpoints: [dispatch],
} as const satisfies Group;
