import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { resume } from '../../shared/execution/dispatch/resume.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/streaming-lambda.ts';
import { DispatchResult } from '../../shared/protocols/json/dispatch-result.ts';
import { StreamEvent } from '../../shared/protocols/sse/stream-event.ts';
import { dispatchResponse, executionScope, runTimeMs } from './dispatch-response.ts';

const ResumeBody = z
  .strictObject({
    executionId: idOf('exec'),
    toolOutputs: z.record(z.string(), z.unknown()).meta({
      description: 'The output of the tool, any JSON, by the id of the tool call (or the name of the tool)',
    }),
    streamResponse: z
      .boolean()
      .default(true)
      .meta({ description: 'true: server-sent events. false: one JSON response' }),
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
  summary: 'Continue a run with the output of a local tool',
  description:
    'The run continues after the step that called the tool, as the user who started it, and responds like POST /v1/dispatch. Requires the permissions that starting it took. 409 if the run is not paused: of several requests, one continues it. A run whose output does not arrive within seven days fails.',
  body: ResumeBody,
  response: { kind: 'sse', events: StreamEvent, json: DispatchResult },
  errors: [400, 404, 409, 413, 415],
  needs: { scope: executionScope },

  async handle({ body, principal, timeLeftMs, requestId }, { scope }) {
    const resumed = await resume(scope, principal, body);
    const run = { ...resumed, requestId, timeMs: runTimeMs(timeLeftMs()) };
    return dispatchResponse(scope, run, body.streamResponse);
  },
});

export const handler = toStreamingLambda(resumeDispatch);
