import { resourceId } from '../../shared/core/ids.ts';
import { answerWaits, Decision } from '../../shared/execution/agent-runs/answer-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { AgentResult } from '../../shared/protocols/json/dispatch-result.ts';
import { followResponse, runScope } from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { answerResponse } from './answer-response.ts';
import { AgentRunParams, streamResponse } from './schemas.ts';

const ApproveBody = Decision.extend({ executionId: resourceId('exec'), streamResponse }).meta({
  examples: [
    {
      executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
      approvalId: 'appr_01k9m4v7d3x8qz5w2r6t0y1hbn',
      decision: 'approved',
    },
  ],
});

export const approveAgentCall = defineEndpoint({
  id: 'agent-runs.approve',
  method: 'POST',
  path: '/v1/agents/{id}/approve',
  permission: 'AGENTS:EXECUTE',
  summary: 'Allow or deny a tool call of a run',
  description:
    'An allowed call runs once; a denied one fails, which the agent sees. The run continues when it has every approval and output that it waits for. 409 if the call was decided before, or too late.',
  params: AgentRunParams,
  body: ApproveBody,
  open: 'run',
  response: { kind: 'sse', events: StreamEvent, json: AgentResult },
  errors: [400, 404, 409],
  needs: { scope: runScope },

  async handle({ params, body, principal, requestId }, { scope }) {
    const { executionId, streamResponse: isStreamed, ...decision } = body;
    const place = { executionId, agentId: params.id };
    const answered = await answerWaits(scope, principal, place, { decisions: [decision] });
    return answerResponse(scope, answered, { executionId, isStreamed, requestId });
  },

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(approveAgentCall);
