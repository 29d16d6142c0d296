import { expect, test } from 'vitest';
import { applyWorkspace } from '../../../functions/workspace/apply.ts';
import { newId } from '../../../shared/core/ids.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { brokenTable, outage } from '../../support/data/broken-table.ts';
import {
  applyIn,
  changeLines,
  exportWorkspace,
  fillWorkspace,
  planIn,
  succeeding,
} from '../../support/files/workspaces.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { tenantPrincipal } from '../../support/stack/principals.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];

/** Applies a document in a process that can write no more after some writes. @returns whether it ended */
async function applyUntil(tenant: Tenant, body: object, writesMax: number): Promise<boolean> {
  let written = 0;
  const table = brokenTable(tenant.tenant, {
    before: (command) => {
      if (writes.includes(command) && ++written > writesMax) throw outage();
    },
  });
  const runtime = { scopeOf: () => ({ table, now: () => new Date(), newId }) };
  const invoke = invokeWith(
    toLambda(applyWorkspace, () => runtime),
    tenantPrincipal(tenant),
  );
  const { statusCode } = await invoke({ body: JSON.stringify(body), headers: jsonHeaders });
  return statusCode === 200;
}
const jsonHeaders = { 'content-type': 'application/json' };

test.each([2, 4, 7, 11, 16, 21, 26])(
  'after a crash that leaves %i writes, the same request finishes',
  async (writesMax) => {
    const [one, other] = [await newTenant(), await newTenant()];
    await fillWorkspace(one);
    const document = await exportWorkspace(one);
    await succeeding(other, 'POST', '/v1/records', { type: 'airport', name: 'TXL/Berlin', metadata: {} });
    expect(await applyUntil(other, { document }, writesMax)).toBe(false);
    // Until its lease ends, nobody knows that the first one is dead.
    await eventually(() => applyIn(other, { document }));
    expect(await exportWorkspace(other)).toEqual(document);
    expect(changeLines(await planIn(other, { document }))).toEqual([]);
  },
);

test('503 while part of the document is applied and the time is over; the same request goes on', async () => {
  const tenant = await newTenant();
  const document = { flows: [{ name: 'One' }, { name: 'Two' }] };
  const invoke = invokeWith(toLambda(applyWorkspace), tenantPrincipal(tenant), 2_500);
  const { statusCode, body } = await invoke({ body: JSON.stringify({ document }), headers: jsonHeaders });
  expect([statusCode, JSON.parse(body).details]).toMatchObject([503, [{ code: 'OUT_OF_TIME' }]]);
  await applyIn(tenant, { document });
  expect((await exportWorkspace(tenant)).flows).toEqual(document.flows);
});
