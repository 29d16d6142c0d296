import { expect, test } from 'vitest';
import type { Principal } from '../../../shared/auth/principal.ts';
import type { DispatchEvent } from '../../../shared/dispatch/events.ts';
import { prepare } from '../../../shared/dispatch/prepare.ts';
import { DispatchBody } from '../../../shared/dispatch/request.ts';
import { type Dispatch, runDispatch } from '../../../shared/dispatch/run.ts';
import { newId } from '../../../shared/ids.ts';
import type { Scope } from '../../../shared/runtime.ts';
import { brokenTable, type Interference } from '../../support/broken-table.ts';
import { createRecords, template } from '../../support/flows.ts';
import { principalOf } from '../../support/principals.ts';
import { newTenant, type Tenant } from '../../support/stack.ts';

const wait = (config: object) => ({ type: 'wait-until', name: 'wait', config });

/** Runs in this process, in a world that may be broken, and keeps what is told. */
async function run(
  tenant: Tenant,
  body: object,
  interference: Interference = {},
  changes: Partial<Dispatch> = {},
) {
  const scope: Scope = { table: brokenTable(tenant.tenant, interference), now: () => new Date(), newId };
  const principal = { ...JSON.parse(principalOf(tenant).principal), sourceIp: null } as Principal;
  const parsed = DispatchBody.parse(body);
  const events: DispatchEvent[] = [];
  const result = await runDispatch(scope, {
    prepared: await prepare(scope, principal, parsed),
    body: parsed,
    principal,
    requestId: 'request-1',
    timeMs: 60_000,
    gone: new AbortController().signal,
    listener: (event) => void events.push(event),
    ...changes,
  });
  return { result, events };
}

test('a silent run pings, and its events are still numbered without gaps', async () => {
  const flow = { name: 'Slow', steps: [wait({ delayMs: 120 })] };
  const { events } = await run(await newTenant(), { flow }, {}, { pingEveryMs: 20 });
  expect(events.filter(({ type }) => type === 'ping').length).toBeGreaterThan(1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(events.at(-1)?.type).toBe('execution_complete');
});

test('outputs that the record cannot take are told, and the run is no success', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const script = {
    type: 'transform-data',
    name: 's',
    config: { script: '"x".repeat(300_000)', outputVariable: 'v' },
  };
  const { result } = await run(tenant, {
    flow: { name: 'Large', steps: [script] },
    record: { id: record?.id },
    options: { autoAppendMetadata: true },
  });
  expect(result).toMatchObject({ success: false, status: 'failed' });
  expect(result.error).toContain('The outputs could not be appended');
});

test('a fault of the service is told with the request’s id, and nothing of the inside', async () => {
  const broken: Interference = {
    before: (command, input) => {
      if (command === 'PutItem' && JSON.stringify(input).includes('"batch"'))
        throw new Error('secret inside');
    },
  };
  const flow = { name: 'Waits', steps: [template('x'), wait({ delayMs: 60_000 })] };
  const { result, events } = await run(await newTenant(), { flow }, broken);
  const error = { code: 'INTERNAL', message: 'The service broke the run off; request request-1' };
  expect(events.at(-1)).toMatchObject({ type: 'execution_error', error });
  expect(result).toMatchObject({ success: false, status: 'failed', error: error.message });
});
