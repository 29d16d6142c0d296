import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getAgentExecution } from './get.ts';
import { getAgentToolCall } from './get-tool-call.ts';
import { listAgentExecutions } from './list.ts';
import { listAgentToolCalls } from './list-tool-calls.ts';

export const agentExecutionsGroup = {
  description: 'Read the executions of agents, with every turn and every tool call.',
  endpoints: [listAgentExecutions, getAgentExecution, listAgentToolCalls, getAgentToolCall],
} as const satisfies EndpointGroup;
