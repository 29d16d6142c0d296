import { clientJson } from '../../core/json/exact-json.ts';
import type { NumberedEvent } from '../../execution/agent-runs/agent-run-event.ts';
import type { AgentRun } from '../../execution/agent-runs/execute-agent-run.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { openPorts } from '../../execution/open-ports.ts';
import { endsWithCaller } from '../../execution/targets/ends-with-caller.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { sendNumberedEvents } from '../../platform/http/responses/server-sent-events.ts';
import { type LoggedRun, nameRun, streamBody } from '../../platform/http/responses/streamed-body.ts';
import { AgentResult } from '../json/agent-result.ts';
import { readAgentResult } from '../json/read-result.ts';
import { agentEvents } from '../run-events/agent-events.ts';

/** All uses, because the agent decides which services a run calls. */
export const runScope = using(
  [openPorts, 'table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:agents'],
  (all: Scope) => all,
);

export interface ResponseForm {
  executionId: string;
  isStreamed: boolean;
  requestId: string;
}

type RunEventsFor = (callerSignal: AbortSignal) => AsyncIterable<NumberedEvent>;

export function runResponse(scope: Scope, run: AgentRun, form: ResponseForm) {
  if (form.isStreamed) nameRun({ executionId: form.executionId, after: run.sentSeq });
  return eventsResponse(endsWithCaller.events(scope, run, form), form);
}

interface Follower {
  requestId: string;
  timeLeftMs: () => number;
}

/** Streams the events of a run that another request began. */
export function followResponse(
  scope: Scope,
  { executionId, after }: LoggedRun,
  { requestId, timeLeftMs }: Follower,
) {
  const timeout = AbortSignal.timeout(Math.max(1, timeLeftMs() - 1_000));
  const eventsFor: RunEventsFor = (signal) =>
    followRun(scope, executionId, after, AbortSignal.any([signal, timeout]));
  return eventsResponse(eventsFor, { executionId, isStreamed: true, requestId });
}

/** Responds with events, or with one JSON body at their end. */
export function eventsResponse(eventsFor: RunEventsFor, { executionId, isStreamed }: ResponseForm) {
  if (isStreamed) return sendNumberedEvents((signal) => agentEvents(eventsFor(signal)));
  return streamBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, signal) => {
      write(clientJson(AgentResult.parse(await readAgentResult(executionId, eventsFor(signal)))));
    },
  });
}
