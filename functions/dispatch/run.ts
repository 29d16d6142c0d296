import { checkPermissions } from '../../shared/execution/dispatch/check-permissions.ts';
import { execute } from '../../shared/execution/dispatch/execute.ts';
import { prepare } from '../../shared/execution/dispatch/prepare.ts';
import { DispatchBody } from '../../shared/execution/dispatch/request.ts';
import { livePorts } from '../../shared/execution/live-ports.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { serverSentEvent, streamedBody } from '../../shared/platform/http/streamed-body.ts';
import { toStreamingLambda } from '../../shared/platform/http/streaming-lambda.ts';
import { DispatchResult, dispatchResultOf } from '../../shared/protocols/json/dispatch-result.ts';
import { DispatchEvent } from '../../shared/protocols/sse/dispatch-event.ts';
import { dispatchEvents } from '../../shared/protocols/sse/dispatch-events.ts';

/** Reserved for reporting the timeout and persisting the results. */
const reserveMs = 3_000;

/** All uses, because the flow decides which services a run calls. */
const scope = using([livePorts, 'table:write', 'payloads', 'queue:wakes'], (all: Scope) => all);

export const dispatch = defineEndpoint({
  id: 'dispatch.run',
  method: 'POST',
  path: '/v1/dispatch',
  permission: 'FLOWS:EXECUTE',
  summary: 'Run a stored or inline flow immediately',
  description: `Streams server-sent events during the run, with model output in pieces. With \`options.streamResponse: false\` it returns one JSON response at the end. Closing the connection cancels the run; slow reading slows it down. A run may take up to 15 minutes. A run that must wait for more than ten seconds continues as a batch, which the response (or the event \`await\`) names.

Inline flows need more permissions: RECORDS:READ for steps that read records or vectors, RECORDS:WRITE for steps that write them, TOOLS:EXECUTE for steps that run tools (and what the tools do), FLOWS:WRITE for steps that reference secrets and for \`flowMode\` create and upsert. 422 if there is no flow to run, or it has no steps.`,
  body: DispatchBody,
  response: { kind: 'sse', events: DispatchEvent, json: DispatchResult },
  errors: [400, 404, 409, 413, 415, 422, 503],
  needs: { scope },

  async handle({ body, principal, timeLeftMs, requestId }, { scope }) {
    await checkPermissions(scope, principal, body);
    const prepared = await prepare(scope, principal, body);
    const timeMs = Math.max(1, timeLeftMs() - reserveMs);
    const run = { prepared, body, principal, requestId, timeMs };
    if (!body.options.streamResponse) {
      return streamedBody({
        contentType: 'application/json',
        keepAlive: ' ',
        writeBody: async (write, clientSignal) => {
          const events = execute(scope, { ...run, clientSignal, showsProgress: false });
          write(JSON.stringify(DispatchResult.parse(await dispatchResultOf(events))));
        },
      });
    }
    return streamedBody({
      contentType: 'text/event-stream',
      writeBody: async (write, clientSignal) => {
        const events = execute(scope, { ...run, clientSignal, showsProgress: true });
        for await (const event of dispatchEvents(events)) await write(serverSentEvent(event));
      },
    });
  },
});

export const handler = toStreamingLambda(dispatch);
