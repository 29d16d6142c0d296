import { type Dispatch, executeFlowRun } from '../../execution/dispatch/execute-flow-run.ts';
import { livePorts } from '../../execution/live-ports.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { numberedEvents } from '../../platform/http/responses/server-sent-events.ts';
import { streamedBody } from '../../platform/http/responses/streamed-body.ts';
import { DispatchResult, readDispatchResult } from '../json/dispatch-result.ts';
import { flowEvents } from '../run-events/flow-events.ts';
import { runScope } from './agent-response.ts';

/** All uses, because the flow decides which services a run calls. */
export const executionScope = using(
  [livePorts, runScope, 'table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:wakes'],
  (all: Scope) => all,
);

type Run = Omit<Dispatch, 'callerSignal' | 'showsProgress'>;

/** Executes a run while it responds: with its events, or with one JSON body at the end. */
export function dispatchResponse(scope: Scope, run: Run, isStreamed: boolean) {
  if (isStreamed) {
    return numberedEvents((callerSignal) =>
      flowEvents(executeFlowRun(scope, { ...run, callerSignal, showsProgress: true })),
    );
  }
  return streamedBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, callerSignal) => {
      const events = executeFlowRun(scope, { ...run, callerSignal, showsProgress: false });
      write(JSON.stringify(DispatchResult.parse(await readDispatchResult(events))));
    },
  });
}
