import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { executeTool } from './execute.ts';
import { listToolExecutions } from './list.ts';
import { testTool } from './test.ts';

/** A group of its own: only what runs tools may read the values of secrets. */
export const toolRunsGroup = {
  description: 'Run a tool by itself, see what it would send, and list its executions.',
  endpoints: [executeTool, testTool, listToolExecutions],
} as const satisfies EndpointGroup;
