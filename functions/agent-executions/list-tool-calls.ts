import * as z from 'zod';
import { executionDetails } from '../../shared/execution/agent-runs/execution-details.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { responseBytesMax, takeWithinBytes } from '../../shared/platform/http/responses/body-sizes.ts';
import { ExecutionParams } from '../agent-runs/schemas.ts';
import { ToolCallRow, toToolCallRow } from './tool-call.ts';

export const listAgentToolCalls = defineEndpoint({
  id: 'agent-executions.list-tool-calls',
  method: 'GET',
  path: '/v1/agents/{id}/executions/{executionId}/tool-calls',
  permission: 'AGENTS:READ',
  summary: 'List the tool calls of an execution',
  description: 'In the order in which the model requested them, without arguments and results.',
  params: ExecutionParams,
  response: { kind: 'json', bodies: { 200: z.object({ toolCalls: z.array(ToolCallRow) }) } },
  errors: [400, 404],
  needs: { details: executionDetails },

  async handle({ params: { id, executionId } }, { details }) {
    const calls = await details.calls(id, executionId);
    return { toolCalls: takeWithinBytes(calls.map(toToolCallRow), responseBytesMax) };
  },
});

export const handler = toLambda(listAgentToolCalls);
