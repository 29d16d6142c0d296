import { afterEach, expect, test, vi } from 'vitest';
import { apiKeyEntity } from '../../shared/platform/auth/api-key.ts';
import { hashKey } from '../../shared/platform/auth/key-format.ts';
import { failingDynamoDb } from '../support/data/failing-dynamodb.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { newKey } from '../support/stack/keys.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { countingRuntime, newTenant } from '../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../support/stack/streamed.ts';
import '../support/suite/fresh-modules.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** Lambdas whose table is on a full disk, as the callers of a tenant reach them. */
async function onFullDisk() {
  const tenant = await newTenant();
  await tenant.call('POST', '/v1/records', { body: { type: 'city', name: 'Oslo' } });
  const [key, counted, revoked] = await Promise.all([newKey(tenant), newKey(tenant), newKey(tenant)]);
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const lifetime = { set: { lifetimeMax: 5 } };
  await table.commit([table.writes.update(apiKeyEntity, { id: counted.id }, lifetime)]);
  await tenant.call('DELETE', `/v1/api-keys/${revoked.id}`);
  const principalOf = ({ id, key: plain }: typeof key) =>
    tenantPrincipal(tenant, { kind: 'key', keyId: id, hash: hashKey(plain) });
  await failingDynamoDb((command) => /Put|Write|Update|Delete/.test(command));
  vi.resetModules();
  const list = (await import('../../functions/records/list.ts')).handler;
  const create = (await import('../../functions/records/create.ts')).handler;
  const upload = (await import('../../functions/records/upload-csv.ts')).handler;
  const exporting = (await import('../../functions/records/export.ts')).handler;
  const listAs = (principal: object) =>
    invokeWith(list, { ...principal })({ queryStringParameters: { type: 'city' } });
  return {
    session: () => listAs(tenantPrincipal(tenant)),
    key: () => listAs(principalOf(key)),
    counted: () => listAs(principalOf(counted)),
    revoked: () => listAs(principalOf(revoked)),
    async upload() {
      const form = new FormData();
      form.append('file', new File(['name\nRome\nParis\n'], 'cities.csv'));
      form.append('typeValue', 'city');
      const sent = new Response(form);
      return invokeWith(upload, { ...tenantPrincipal(tenant) })({
        headers: { 'content-type': sent.headers.get('content-type') ?? '' },
        body: Buffer.from(await sent.arrayBuffer()).toString('base64'),
        isBase64Encoded: true,
      });
    },
    export: () =>
      readStreamedAnswer(
        invokeStreaming(exporting, tenant, {}, 60_000, {
          httpMethod: 'GET',
          body: null,
          queryStringParameters: { type: 'city' },
        }).stream,
      ),
    create: () =>
      invokeWith(create, { ...tenantPrincipal(tenant) })({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'city', name: 'Rome' }),
      }),
  };
}

test('while the disk is full, reads go on without counting, and writes are a 507 that says what to do', async () => {
  const disk = await onFullDisk();
  for (const { statusCode, body } of [await disk.session(), await disk.key()]) {
    expect(statusCode, body).toBe(200);
    expect(JSON.parse(body).data).toMatchObject([{ name: 'Oslo' }]);
  }
  const { statusCode, body } = await disk.create();
  expect(statusCode, body).toBe(507);
  expect(JSON.parse(body)).toMatchObject({
    error: 'Insufficient storage',
    details: [{ code: 'STORAGE_FULL', message: expect.stringContaining('must free disk space') }],
  });
});

test('while the disk is full, a revoked key is refused, and so is one whose uses are counted', async () => {
  const disk = await onFullDisk();
  expect((await disk.revoked()).statusCode).toBe(401);
  expect((await disk.counted()).statusCode).toBe(507);
});

test('while the disk is full, an export goes on, and an upload is a 507 at once, not a matter of time', async () => {
  const disk = await onFullDisk();
  const { head, body } = await disk.export();
  expect(head.statusCode, body).toBe(200);
  expect(body).toContain('Oslo');
  const uploaded = await disk.upload();
  expect(uploaded.statusCode, uploaded.body).toBe(507);
});
