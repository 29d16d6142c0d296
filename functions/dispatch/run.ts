import { originOfCall } from '../../shared/domain/runs/run-origin.ts';
import { prepare } from '../../shared/execution/dispatch/prepare.ts';
import { checkPermissions, DispatchBody } from '../../shared/execution/dispatch/request.ts';
import { getFlowTimeMs } from '../../shared/execution/targets/front-policy.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import {
  dispatchResponse,
  executionScope,
  followResponse,
} from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { StartedRun } from '../agent-runs/start-response.ts';
import { AnyResult } from './any-result.ts';
import { dispatchAgent } from './dispatch-agent.ts';

export const dispatch = defineEndpoint({
  id: 'dispatch.run',
  method: 'POST',
  path: '/v1/dispatch',
  permission: 'FLOWS:EXECUTE',
  summary: 'Run a stored or inline flow or agent immediately',
  description: `Streams server-sent events during the run, with model output in pieces. With \`options.streamResponse: false\` it returns one JSON response at the end.

- Closing the connection cancels the run, except on AWS, where a Lambda does not learn of it; slow reading slows it down.
- A run may take up to 15 minutes. One that must wait for more than ten seconds continues as a batch, which the response (or the event \`await\`) names.
- A run that calls a local tool pauses: execute the tool and send its output to POST /v1/dispatch/resume within seven days.

**Inline flows** need more permissions:

- RECORDS:READ for steps that read records or vectors, RECORDS:WRITE for steps that write them,
- TOOLS:EXECUTE for steps that run tools (and what the tools do),
- FLOWS:WRITE for steps that reference secrets, and for \`flowMode\` create and upsert.

**With \`agent\`** it runs an agent, as POST /v1/agents/{id}/execute does. That requires AGENTS:EXECUTE too, and an inline agent what its tools take; AGENTS:WRITE if it references secrets.`,
  headers: StartHeaders,
  body: DispatchBody,
  open: ({ body }) => (body.agent && body.options.background ? 'brief' : 'run'),
  response: { kind: 'sse', events: StreamEvent, json: AnyResult, bodies: { 202: StartedRun } },
  errors: [400, 402, 404, 409, 422, 503],
  statuses: {
    422: 'There is no flow to run, or it has no steps',
  },
  needs: { scope: executionScope },

  async handle({ body, principal, timeLeftMs, requestId }, { scope }) {
    if (body.agent) {
      return dispatchAgent(scope, { principal, requestId, timeLeftMs: timeLeftMs() }, body);
    }
    const permissions = await checkPermissions(scope, principal, body);
    const prepared = await prepare(scope, principal, body);
    const run = {
      prepared,
      body,
      runsAs: principal,
      origin: originOfCall(principal, body.options),
      permissions,
      requestId,
      timeMs: getFlowTimeMs(timeLeftMs()),
    };
    return dispatchResponse(scope, run, body.options.streamResponse);
  },

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(dispatch);
