import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { answerWaits } from '../../shared/execution/agent-runs/answer-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { AgentResult } from '../../shared/protocols/json/dispatch-result.ts';
import { followResponse, runScope } from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { answerResponse } from './answer-response.ts';
import { AgentRunParams, streamResponse } from './schemas.ts';

const ResumeBody = z
  .strictObject({
    executionId: resourceId('exec'),
    toolOutputs: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The outputs, any JSON, by the id of the tool call (or the name of the tool)' }),
    messages: z.array(Message).max(100).optional().meta({
      description: 'Texts of the user that the agent gets after the outputs. Only with the last output',
    }),
    streamResponse,
  })
  .meta({
    examples: [
      {
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        toolOutputs: { call_01k9m4v7d3x8qz5w2r6t0y1hbn: { celsius: 21 } },
      },
    ],
  });

export const resumeAgent = defineEndpoint({
  id: 'agent-runs.resume',
  method: 'POST',
  path: '/v1/agents/{id}/resume',
  permission: 'AGENTS:EXECUTE',
  summary: 'Continue a run with the outputs of local tools',
  description:
    'The run continues when it has every output and approval that it waits for; until then it stays paused. 409 if it does not wait for an output: a second request with the same output has no effect. A run whose output does not arrive within seven days fails.',
  params: AgentRunParams,
  body: ResumeBody,
  open: 'run',
  response: { kind: 'sse', events: StreamEvent, json: AgentResult },
  errors: [400, 404, 409],
  needs: { scope: runScope },

  async handle({ params, body, principal, requestId }, { scope }) {
    const { executionId, streamResponse: isStreamed } = body;
    const answered = await answerWaits(scope, principal, { executionId, agentId: params.id }, body);
    return answerResponse(scope, answered, { executionId, isStreamed, requestId });
  },

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(resumeAgent);
