import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { Decision } from '../../shared/execution/agent-runs/answer-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { executionScope, followResponse } from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { streamResponse } from '../agent-runs/schemas.ts';
import { AnyResult } from './any-result.ts';
import { continueRun } from './continue-run.ts';

const Continuation = z
  .strictObject({
    decisions: z.array(Decision).max(100).optional(),
    toolOutputs: z.record(z.string(), z.unknown()).optional(),
    messages: z.array(Message).max(100).optional(),
  })
  .refine(({ decisions = [], toolOutputs }) => decisions.length > 0 || toolOutputs !== undefined, {
    message: 'Expected decisions or toolOutputs',
  });

const ContinueBody = z
  .strictObject({ executionId: resourceId('exec'), continuation: Continuation, streamResponse })
  .meta({
    examples: [
      {
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        continuation: {
          decisions: [{ approvalId: 'appr_01k9m4v7d3x8qz5w2r6t0y1hbn', decision: 'approved' }],
          toolOutputs: { call_01k9m4v7d3x8qz5w2r6t0y1hbn: { celsius: 21 } },
        },
      },
    ],
  });

export const continueDispatch = defineEndpoint({
  id: 'dispatch.continue',
  method: 'POST',
  path: '/v1/dispatch/continue',
  permission: 'FLOWS:EXECUTE',
  summary: 'Continue a run with everything that it waits for',
  description:
    'Gives all answers at once: decisions on tool calls, outputs of local tools, and texts of the user for the agent. Otherwise as resume and approve.',
  body: ContinueBody,
  open: 'run',
  response: { kind: 'sse', events: StreamEvent, json: AnyResult },
  errors: [400, 404, 409],
  needs: { scope: executionScope },

  handle: ({ body: { executionId, streamResponse: isStreamed, continuation }, ...caller }, { scope }) =>
    continueRun(scope, { ...caller, executionId, isStreamed }, continuation),

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(continueDispatch);
