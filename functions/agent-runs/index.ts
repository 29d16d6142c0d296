import type { Group } from '../../shared/platform/http/group.ts';
import { executeAgent } from './execute.ts';

/** A group of its own: its role may use what agents use. */
export const agentRunsGroup = {
  description: 'Run agents, and continue their runs.',
  endpoints: [executeAgent],
} as const satisfies Group;
