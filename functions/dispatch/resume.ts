import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { executionScope, followResponse } from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { streamResponse } from '../agent-runs/schemas.ts';
import { AnyResult } from './any-result.ts';
import { continueRun } from './continue-run.ts';

const ResumeBody = z
  .strictObject({
    executionId: resourceId('exec'),
    toolOutputs: z.record(z.string(), z.unknown()).meta({
      description: 'The output of each tool, any JSON, by the id of the tool call (or the name of the tool)',
    }),
    messages: z
      .array(Message)
      .max(100)
      .optional()
      .meta({ description: 'Texts of the user that an agent gets after the outputs' }),
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

export const resumeDispatch = defineEndpoint({
  id: 'dispatch.resume',
  method: 'POST',
  path: '/v1/dispatch/resume',
  permission: 'FLOWS:EXECUTE',
  summary: 'Continue a run with the outputs of local tools',
  description:
    'The run continues after the step or the turn that called the tools, as the user who started it, and responds like POST /v1/dispatch. A run of an agent continues when it has every answer that it waits for. Requires the permissions that starting it took. 409 if the run is not paused: of several requests, one continues it. A run whose output does not arrive within seven days fails.',
  body: ResumeBody,
  open: 'run',
  response: { kind: 'sse', events: StreamEvent, json: AnyResult },
  errors: [400, 404, 409],
  needs: { scope: executionScope },

  handle: ({ body: { executionId, streamResponse: isStreamed, ...answer }, ...caller }, { scope }) =>
    continueRun(scope, { ...caller, executionId, isStreamed }, answer),

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(resumeDispatch);
