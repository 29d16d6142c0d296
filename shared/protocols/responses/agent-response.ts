import type { AgentRun } from '../../execution/agent-runs/execute-agent-run.ts';
import type { NumberedEvent } from '../../execution/events/agent-run-event.ts';
import { livePorts } from '../../execution/live-ports.ts';
import { endsWithCaller } from '../../execution/targets/ends-with-caller.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { numberedEvents } from '../../platform/http/responses/server-sent-events.ts';
import { streamedBody } from '../../platform/http/responses/streamed-body.ts';
import { AgentResult, agentResultOf } from '../json/agent-result.ts';
import { agentEvents } from '../sse/agent-events.ts';

/** All uses, because the agent decides which services a run calls. */
export const runScope = using([livePorts, 'table:write', 'payloads', 'queue:agents'], (all: Scope) => all);

export interface ResponseForm {
  executionId: string;
  isStreamed: boolean;
  requestId: string;
}

type EventsFor = (callerSignal: AbortSignal) => AsyncIterable<NumberedEvent>;

export const runResponse = (scope: Scope, run: AgentRun, form: ResponseForm) =>
  eventsResponse(endsWithCaller.events(scope, run, form), form);

/** Responds with events, or with one JSON body at their end. */
export function eventsResponse(eventsFor: EventsFor, { executionId, isStreamed }: ResponseForm) {
  if (isStreamed) return numberedEvents((signal) => agentEvents(eventsFor(signal)));
  return streamedBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, signal) => {
      write(JSON.stringify(AgentResult.parse(await agentResultOf(executionId, eventsFor(signal)))));
    },
  });
}
