import { execute, type Run } from '../../execution/agent-runs/execute.ts';
import type { NumberedEvent } from '../../execution/agent-runs/log/run-event.ts';
import { toTheEnd } from '../../execution/agent-runs/to-the-end.ts';
import { livePorts } from '../../execution/live-ports.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { serverSentEvent, streamedBody } from '../../platform/http/responses/streamed-body.ts';
import { AgentResult, agentResultOf } from '../json/agent-result.ts';
import { agentEvents } from '../sse/agent-events.ts';

/** Reserved to record the end of a run, and to tell the caller. */
const reserveMs = 5_000;

/** All uses, because the agent decides which services a run calls. */
export const runScope = using([livePorts, 'table:write', 'payloads', 'queue:agents'], (all: Scope) => all);

/** The time that a run may take: in front of its caller, no longer than its process lives. */
export const timeoutMsOf = (
  { background, timeoutMs }: { background: boolean; timeoutMs?: number | undefined },
  timeLeftMs: number,
) => (background ? timeoutMs : Math.max(1, Math.min(timeoutMs ?? 600_000, timeLeftMs - reserveMs)));

/** How the caller wants the response. */
export interface ResponseForm {
  executionId: string;
  isStreamed: boolean;
  requestId: string;
}

type EventsFor = (callerSignal: AbortSignal) => AsyncIterable<NumberedEvent>;

/** Executes a run, until its caller is gone. */
export const eventsOfRun =
  (scope: Scope, run: Run, { isStreamed, requestId }: Omit<ResponseForm, 'executionId'>): EventsFor =>
  (callerSignal) =>
    toTheEnd(
      scope,
      run.execution,
      execute(scope, run, {
        ports: livePorts(scope, { ...run.execution, runId: run.execution.id }),
        streamed: isStreamed,
        callerSignal,
        requestId,
      }),
    );

/** Executes a run while it responds. */
export const runResponse = (scope: Scope, run: Run, form: ResponseForm) =>
  eventsResponse(eventsOfRun(scope, run, form), form);

/** Responds with events, or with one JSON body at their end. */
export function eventsResponse(eventsFor: EventsFor, { executionId, isStreamed }: ResponseForm) {
  if (isStreamed) {
    return streamedBody({
      contentType: 'text/event-stream',
      writeBody: async (write, signal) => {
        for await (const event of agentEvents(eventsFor(signal))) await write(serverSentEvent(event));
      },
    });
  }
  return streamedBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, signal) => {
      write(JSON.stringify(AgentResult.parse(await agentResultOf(executionId, eventsFor(signal)))));
    },
  });
}
