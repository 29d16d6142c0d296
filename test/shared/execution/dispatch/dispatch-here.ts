import { newId } from '../../../../shared/core/ids.ts';
import type { DispatchEvent } from '../../../../shared/execution/dispatch/events.ts';
import { prepare } from '../../../../shared/execution/dispatch/prepare.ts';
import { DispatchBody } from '../../../../shared/execution/dispatch/request.ts';
import { type Dispatch, runDispatch } from '../../../../shared/execution/dispatch/run.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { brokenTable, type Interference } from '../../../support/broken-table.ts';
import { principalHere } from '../../../support/principals.ts';
import type { Tenant } from '../../../support/stack.ts';

/** Runs in this process, in a world that may be broken, and keeps what is told. */
export async function dispatchHere(
  tenant: Tenant,
  body: object,
  interference: Interference = {},
  changes: Partial<Dispatch> = {},
) {
  const scope: Scope = { table: brokenTable(tenant.tenant, interference), now: () => new Date(), newId };
  const principal = principalHere(tenant);
  const parsed = DispatchBody.parse(body);
  const events: DispatchEvent[] = [];
  const result = await runDispatch(scope, {
    prepared: await prepare(scope, principal, parsed),
    body: parsed,
    principal,
    requestId: 'request-1',
    timeMs: 60_000,
    clientSignal: new AbortController().signal,
    listener: (event) => void events.push(event),
    ...changes,
  });
  return { result, events };
}
