import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listFlows } from '../../functions/flows/list.ts';
import { newId } from '../../shared/core/ids.ts';
import { hashKey } from '../../shared/platform/auth/key-format.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { brokenTable } from '../support/data/broken-table.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { newKey } from '../support/stack/keys.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

/** The Lambda of a list, whose reads of the table wait until the response is sent. */
function slowList(tenant: Tenant, key?: { id: string; key: string }) {
  const reads = { begun: 0, complete: 0 };
  let answered = Promise.withResolvers<void>();
  const table = brokenTable(tenant.tenant, {
    before: async (command) => {
      if (command !== 'Query') return;
      reads.begun++;
      await answered.promise;
    },
    after: (command) => {
      if (command === 'Query') reads.complete++;
    },
  });
  const lambda = toLambda(listFlows, () => ({ scopeOf: () => ({ table, now: () => new Date(), newId }) }));
  const ofKey =
    key && ({ kind: 'key', keyId: key.id, hash: hashKey(key.key), permissions: [] as string[] } as const);
  const invoke = invokeWith(lambda, tenantPrincipal(tenant, ofKey));
  return async () => {
    Object.assign(reads, { begun: 0, complete: 0 });
    answered = Promise.withResolvers();
    const { statusCode } = await invoke({ httpMethod: 'GET' });
    answered.resolve();
    // A read that nothing aborts would now be carried out.
    await sleep(200);
    return { statusCode, ...reads };
  };
}

test.each([
  ['a full window', 429, { rateLimits: { perHour: 1 } }],
  ['a missing permission', 403, { permissions: ['RECORDS:READ'] }],
  ['a foreign address', 403, { allowedIps: ['192.0.2.1'] }],
  ['a revoked key', 401, {}],
] as const)(
  '%s: the refusal ends the reads, and the next request reads nothing',
  async (why, status, body) => {
    const tenant = await newTenant();
    const key = await newKey(tenant, { permissions: ['*'], ...body });
    if (status === 429) await key.call('GET', '/v1/usage-limits');
    if (status === 401) expect((await tenant.call('DELETE', `/v1/api-keys/${key.id}`)).status).toBe(200);
    const list = slowList(tenant, key);
    expect(await list(), why).toMatchObject({ statusCode: status, complete: 0 });
    expect(await list()).toEqual({ statusCode: status, begun: 0, complete: 0 });
  },
);

test('the reads of a credential that was not refused begin before the gate decides', async () => {
  const tenant = await newTenant();
  const order: string[] = [];
  const watched = brokenTable(tenant.tenant, { before: (command) => void order.push(command) });
  const lambda = toLambda(listFlows, () => ({
    scopeOf: () => ({ table: watched, now: () => new Date(), newId }),
  }));
  expect((await invokeWith(lambda, tenantPrincipal(tenant))({ httpMethod: 'GET' })).statusCode).toBe(200);
  expect(order.slice(0, 2).sort()).toEqual(['Query', 'UpdateItem']);
});
