import { expect, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('a tenant without secrets has an empty list', async () => {
  const { call } = await newTenant();
  expect(await expectStatus(200, call('GET', '/v1/secrets'))).toEqual({ data: [], total: 0 });
});

test('the list returns all secrets in key order, as get returns each, without deleted ones', async () => {
  const [tenant, stranger] = [await newTenant(), await newTenant()];
  await newSecret(stranger, { key: 'FOREIGN_KEY', value: 'a foreign value' });
  const b = await newSecret(tenant, { key: 'KEY_B', value: 'the value of b', description: 'B' });
  const c = await newSecret(tenant, { key: 'KEY_C' });
  const a = await newSecret(tenant, { key: 'KEY_A', value: 'the value of a' });
  const gone = await newSecret(tenant, { key: 'KEY_D', value: 'the value of d' });
  await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${gone.id}`));
  const list = await expectStatus(200, tenant.call('GET', '/v1/secrets'));
  expect(list).toEqual({ data: [a, b, c], total: 3 });
  for (const secret of [a, b, c]) {
    expect(await expectStatus(200, tenant.call('GET', `/v1/secrets/${secret.id}`))).toEqual({ data: secret });
  }
  expect(JSON.stringify(list)).not.toMatch(/the value|valueId|userId/);
});

test('members of an organization share their secrets', async () => {
  const organizationId = `org-${crypto.randomUUID()}`;
  const [one, other] = [await newTenant({ organizationId }), await newTenant({ organizationId })];
  const secret = await newSecret(one, { key: 'KEY_A', value: 'the value of a' });
  expect((await expectStatus(200, other.call('GET', '/v1/secrets'))).data).toEqual([secret]);
});

test('400 for a malformed id, 404 for an unknown one', async () => {
  const { call } = await newTenant();
  const garbled = await expectStatus(400, call('GET', '/v1/secrets/KEY_A'));
  expect(garbled.details).toMatchObject([{ path: 'id', code: 'INVALID_FORMAT' }]);
  const unknown = await expectStatus(404, call('GET', `/v1/secrets/secret_${'0'.repeat(26)}`));
  expect(unknown).toEqual(notFoundBody('Secret'));
});
