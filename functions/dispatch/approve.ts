import { resourceId } from '../../shared/core/ids.ts';
import { Decision } from '../../shared/execution/agent-runs/answer-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { executionScope, followResponse } from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { streamResponse } from '../agent-runs/schemas.ts';
import { AnyResult } from './any-result.ts';
import { continueRun } from './continue-run.ts';

const ApproveBody = Decision.extend({ executionId: resourceId('exec'), streamResponse }).meta({
  examples: [
    {
      executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
      approvalId: 'appr_01k9m4v7d3x8qz5w2r6t0y1hbn',
      decision: 'approved',
    },
  ],
});

export const approveDispatch = defineEndpoint({
  id: 'dispatch.approve',
  method: 'POST',
  path: '/v1/dispatch/approve',
  permission: 'FLOWS:EXECUTE',
  summary: 'Allow or deny a tool call of a run',
  description:
    'As POST /v1/agents/{id}/approve, for a run that POST /v1/dispatch started. Requires AGENTS:EXECUTE, and the permissions that starting it took.',
  body: ApproveBody,
  open: 'run',
  response: { kind: 'sse', events: StreamEvent, json: AnyResult },
  errors: [400, 404, 409],
  needs: { scope: executionScope },

  handle: ({ body: { executionId, streamResponse: isStreamed, ...decision }, ...caller }, { scope }) =>
    continueRun(scope, { ...caller, executionId, isStreamed }, { decisions: [decision] }),

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(approveDispatch);
