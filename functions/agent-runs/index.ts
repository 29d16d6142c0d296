import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { approveAgentCall } from './approve.ts';
import { cancelAgentExecution } from './cancel.ts';
import { followAgentExecution } from './events.ts';
import { executeAgent } from './execute.ts';
import { resumeAgent } from './resume.ts';

/** A group of its own: its role may use what agents use. */
export const agentRunsGroup = {
  description: 'Run agents, and continue their runs.',
  endpoints: [executeAgent, resumeAgent, approveAgentCall, followAgentExecution, cancelAgentExecution],
} as const satisfies EndpointGroup;
