import * as z from 'zod';
import { notFound } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { executionDetails } from '../../shared/execution/agent-runs/execution-details.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ExecutionParams } from '../agent-runs/schemas.ts';
import { ToolCallRow, toolCallExample, toToolCallRow } from './tool-call.ts';

const ToolCallDetails = ToolCallRow.extend({
  toolId: z.string().nullable(),
  inputParameters: z.unknown(),
  outputResult: z.unknown(),
  approval: z
    .object({
      decision: z.enum(['approved', 'denied', 'timeout']),
      reason: z.string().nullable(),
      by: z.string().nullable().meta({ description: 'The user who decided; null after a time-out' }),
      at: z.string(),
    })
    .nullable(),
}).meta({
  id: 'AgentToolCallDetails',
  examples: [
    {
      ...toolCallExample,
      toolId: 'builtin:calculator',
      inputParameters: { expression: '6 * 7' },
      outputResult: { number: 42 },
      approval: null,
    },
  ],
});

export const getAgentToolCall = defineEndpoint({
  id: 'agent-executions.get-tool-call',
  method: 'GET',
  path: '/v1/agents/{id}/executions/{executionId}/tool-calls/{toolCallId}',
  permission: 'AGENTS:READ',
  summary: 'Get a tool call of an execution',
  description: 'With its arguments, its result, and who allowed it.',
  params: ExecutionParams.extend({ toolCallId: resourceId('call') }),
  response: { kind: 'json', bodies: { 200: ToolCallDetails } },
  errors: [400, 404],
  needs: { details: executionDetails },

  async handle({ params: { id, executionId, toolCallId } }, { details }) {
    const found = (await details.calls(id, executionId)).find(({ call }) => call.id === toolCallId);
    if (!found) throw notFound('Tool call');
    const { call, result, decision } = found;
    return {
      ...toToolCallRow(found),
      toolId: call.toolId,
      inputParameters: call.input ?? null,
      outputResult: result && !result.failed ? result.output : null,
      approval: decision
        ? { decision: decision.decision, reason: decision.reason ?? null, by: decision.by, at: decision.at }
        : null,
    };
  },
});

export const handler = toLambda(getAgentToolCall);
