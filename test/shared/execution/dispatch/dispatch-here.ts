import { newId } from '../../../../shared/core/ids.ts';
import { type Dispatch, executeFlowRun } from '../../../../shared/execution/dispatch/execute-flow-run.ts';
import { prepare } from '../../../../shared/execution/dispatch/prepare.ts';
import { DispatchBody } from '../../../../shared/execution/dispatch/request.ts';
import type { FlowRunEvent } from '../../../../shared/execution/runs/flow-run-event.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { readDispatchResult } from '../../../../shared/protocols/json/read-result.ts';
import { flowEvents } from '../../../../shared/protocols/run-events/flow-events.ts';
import { brokenTable, type Interference } from '../../../support/data/broken-table.ts';
import { principalHere } from '../../../support/stack/principals.ts';
import type { Tenant } from '../../../support/stack/stack.ts';

/** Runs in this process, in a world that may be broken, and keeps what is told. */
export async function dispatchHere(
  tenant: Tenant,
  body: object,
  interference: Interference = {},
  { pingEveryMs, ...changes }: Partial<Dispatch> & { pingEveryMs?: number } = {},
) {
  const scope: Scope = { table: brokenTable(tenant.tenant, interference), now: () => new Date(), newId };
  const principal = principalHere(tenant);
  const parsed = DispatchBody.parse(body);
  const happened: FlowRunEvent[] = [];
  const execution = executeFlowRun(scope, {
    prepared: await prepare(scope, principal, parsed),
    body: parsed,
    runsAs: principal,
    permissions: [],
    requestId: 'request-1',
    timeMs: 60_000,
    callerSignal: new AbortController().signal,
    showsProgress: true,
    ...changes,
  });
  async function* noted() {
    for await (const event of execution) {
      happened.push(event);
      yield event;
    }
  }
  const events = await Array.fromAsync(flowEvents(noted(), pingEveryMs));
  const result = await readDispatchResult(replayed(happened));
  return { result, events };
}

async function* replayed(events: readonly FlowRunEvent[]) {
  yield* events;
}
