import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newCollector, setTelemetry } from '../../support/servers/telemetry.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

const endpoint = 'https://otlp.example.com/api';

test('a setting is what was put, with defaults and without the values of its headers', async () => {
  const tenant = await newTenant();
  const none = await tenant.call('GET', '/v1/telemetry');
  expect(none.status).toBe(404);
  const headers = { Authorization: 'Bearer sk-hidden-value-1', 'x-scope': 'a' };
  const stored = await setTelemetry(tenant, { endpoint, headers });
  expect(stored).toEqual({
    endpoint,
    headers: { Authorization: '••••', 'x-scope': '••••' },
    content: 'none',
    enabled: true,
    sample: 1,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await expectStatus(200, tenant.call('GET', '/v1/telemetry'))).toEqual(stored);
  const replaced = await setTelemetry(tenant, { endpoint, content: 'full', sample: 0.5, enabled: false });
  expect(replaced).toMatchObject({ headers: {}, content: 'full', sample: 0.5, enabled: false });
  expect(replaced.createdAt).toBe(stored.createdAt);
  await expectStatus(200, tenant.call('DELETE', '/v1/telemetry'));
  expect((await tenant.call('GET', '/v1/telemetry')).status).toBe(404);
  expect((await tenant.call('DELETE', '/v1/telemetry')).status).toBe(404);
});

test('no value of a header is in the table or in the audit log', async () => {
  const tenant = await newTenant();
  await setTelemetry(tenant, {
    endpoint,
    headers: { 'x-api-key': 'sk-hidden-value-2', 'x-n': '{{secret:COLLECTOR_KEY}}' },
  });
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const { telemetrySettingEntity, telemetryVersionEntity } = await import(
    '../../../shared/domain/telemetry/telemetry-setting.ts'
  );
  const current = await table.get(telemetrySettingEntity, {}, { consistent: true });
  const version = await table.get(telemetryVersionEntity, { versionId: String(current?.versionId) });
  const log = await expectStatus(200, tenant.call('GET', '/v1/audit-log'));
  const seen = JSON.stringify([current, version, log]);
  expect(seen).toContain('telemetry.changed');
  expect(seen).toContain('x-api-key');
  expect(seen).not.toContain('hidden-value');
});

test('a hidden value stands for the one that is stored', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint, headers: { 'x-api-key': 'sk-kept-value' } });
  for (const name of ['x-new', 'constructor']) {
    const body = { endpoint: collector.endpoint, headers: { 'x-api-key': '••••', [name]: '••••' } };
    const refused = await tenant.call('PUT', '/v1/telemetry', { body });
    expect(refused.status).toBe(400);
    expect(refused.body.details).toMatchObject([{ path: `headers.${name}` }]);
  }
  const {
    createdAt: _c,
    updatedAt: _u,
    ...shown
  } = await expectStatus(200, tenant.call('GET', '/v1/telemetry'));
  await setTelemetry(tenant, { ...shown, sample: 0.5 });
  expect(await expectStatus(200, tenant.call('POST', '/v1/telemetry/test'))).toMatchObject({ ok: true });
  const [sent] = await collector.got();
  expect(sent?.headers['x-api-key']).toBe('sk-kept-value');
});

test.each([
  'https://other.example.com/api',
  'https://otlp.example.com:8443/api',
  'https://otlp.example.com.evil.example/api',
])('a hidden value does not go from one origin to %s', async (elsewhere) => {
  const tenant = await newTenant();
  const put = (body: object) => tenant.call('PUT', '/v1/telemetry', { body });
  await setTelemetry(tenant, { endpoint, headers: { Authorization: 'Bearer {{secret:COLLECTOR_KEY}}' } });
  const refused = await put({ endpoint: elsewhere, headers: { Authorization: '••••' } });
  expect(refused.status).toBe(400);
  expect(refused.body.details).toMatchObject([
    { path: 'headers.Authorization', message: expect.stringContaining('send the value again') },
  ]);
  expect(await expectStatus(200, tenant.call('GET', '/v1/telemetry'))).toMatchObject({ endpoint });
  const given = { endpoint: elsewhere, headers: { Authorization: 'Bearer {{secret:COLLECTOR_KEY}}' } };
  expect((await put(given)).status).toBe(200);
});

test('a hidden value stays when only the path changes, or the same origin is written in another way', async () => {
  const tenant = await newTenant();
  const headers = { 'x-api-key': '••••' };
  await setTelemetry(tenant, { endpoint, headers: { 'x-api-key': 'sk-kept-value' } });
  await setTelemetry(tenant, { endpoint: 'https://otlp.example.com/other', headers });
  await setTelemetry(tenant, { endpoint: 'https://OTLP.example.com:443', headers });
});

test.each([
  [1e-131, 0],
  [5e-324, 0],
  [1e-12, 1e-12],
  [1 / 3, 1 / 3],
])('a sample of %d is stored as %d', async (sample, stored) => {
  const { call } = await newTenant();
  expect(await setTelemetry({ call }, { endpoint, sample })).toMatchObject({ sample: stored });
  expect(await expectStatus(200, call('GET', '/v1/telemetry'))).toMatchObject({ sample: stored });
});

test.each([
  [{ endpoint: 'http://example.com' }, 'endpoint'],
  [{ endpoint: 'https://10.0.0.1' }, 'endpoint'],
  [{ endpoint: 'https://169.254.169.254' }, 'endpoint'],
  [{ endpoint: 'https://user:password@example.com' }, 'endpoint'],
  [{ endpoint: 'https://example.com?key=1' }, 'endpoint'],
  [{ endpoint: 'https://example.com/v1/traces' }, 'endpoint'],
  [{ endpoint: 'https://example.com/v1/traces//' }, 'endpoint'],
  [{ endpoint: 'https://example.com/otlp//v1//traces' }, 'endpoint'],
  [{ endpoint: 'https://example.com/v1/%74races' }, 'endpoint'],
  [{ endpoint: 'https://example.com/v1%2Ftraces/' }, 'endpoint'],
  [{ endpoint: 'https://example.com/%/v1/traces' }, 'endpoint'],
  [{ endpoint, sample: 1.1 }, 'sample'],
  [{ endpoint, content: 'some' }, 'content'],
  [{ endpoint, headers: { 'a b': 'x' } }, 'headers.a b'],
  [{ endpoint, headers: { 'Content-Type': 'text/plain' } }, 'headers.Content-Type'],
  [{ endpoint, headers: { a: 'x', A: 'y' } }, 'headers'],
  [{ endpoint, headers: { a: 'one\ntwo' } }, 'headers.a'],
  [{ endpoint, headers: { 'X-A': '' } }, 'headers.X-A'],
  [{ endpoint, headers: { a: '{{secret:lower}}' } }, 'headers.a'],
  [{ endpoint, headers: { a: '{{ secret:KEY | upcase }}' } }, 'headers.a'],
  [
    { endpoint, headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`h${n}`, 'x'])) },
    'headers',
  ],
  [{}, 'endpoint'],
])('%j is refused at %s', async (body, path) => {
  const { call } = await newTenant();
  const { status, body: answer } = await call('PUT', '/v1/telemetry', { body });
  expect(status).toBe(400);
  expect(answer.details.map((detail: { path: string }) => detail.path)).toContain(path);
});

test.each([
  ['http://127.0.0.1:4011', 'LOCAL_ALLOWED_HOSTS=127.0.0.1:4011'],
  ['http://jaeger', 'LOCAL_ALLOWED_HOSTS=jaeger:80'],
  ['https://10.0.0.1', 'LOCAL_ALLOWED_HOSTS=10.0.0.1:443'],
])('for the private address %s the error says how to allow it', async (address, hint) => {
  const { call } = await newTenant();
  const { status, body } = await call('PUT', '/v1/telemetry', { body: { endpoint: address } });
  expect(status).toBe(400);
  expect(body.details).toMatchObject([{ path: 'endpoint', message: expect.stringContaining(hint) }]);
});

test.each([
  'Host',
  'Connection',
  'Content-Length',
  'Content-Encoding',
  'Transfer-Encoding',
  'TE',
  'Upgrade',
  'Keep-Alive',
  'Trailer',
  'Expect',
])('the header %s, which would not be sent, is refused', async (name) => {
  const { call } = await newTenant();
  const body = { endpoint, headers: { [name]: 'x' } };
  const { status, body: answer } = await call('PUT', '/v1/telemetry', { body });
  expect(status).toBe(400);
  expect(answer.details).toMatchObject([{ path: `headers.${name}` }]);
});

test('another tenant has no such setting', async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  await setTelemetry(one, { endpoint });
  expect((await other.call('GET', '/v1/telemetry')).status).toBe(404);
  expect((await other.call('POST', '/v1/telemetry/test')).status).toBe(404);
  expect((await other.call('DELETE', '/v1/telemetry')).status).toBe(404);
  await expectStatus(200, one.call('GET', '/v1/telemetry'));
});

test('a key needs the permission, and no test key gets it', async () => {
  const key = await tenantWithKey(['TELEMETRY:READ']);
  expect((await key.call('GET', '/v1/telemetry')).status).toBe(404);
  expect((await key.call('PUT', '/v1/telemetry', { body: { endpoint } })).status).toBe(403);
  const tenant = await newTenant();
  for (const permission of ['TELEMETRY:READ', 'TELEMETRY:WRITE', 'TELEMETRY:*']) {
    const body = { name: 'A key', environment: 'test', permissions: [permission] };
    const { status } = await tenant.call('POST', '/v1/api-keys', { body });
    expect(status).toBe(400);
  }
});

test('what a collector gets, the caller must have the right to use and to read', async () => {
  const { tenant, call } = await tenantWithKey(['TELEMETRY:WRITE', 'TELEMETRY:READ', 'FLOWS:READ']);
  const put = async (body: object) => {
    const { status, body: answer } = await call('PUT', '/v1/telemetry', { body: { endpoint, ...body } });
    return [status, answer.details ?? null];
  };
  const headers = { 'x-key': 'Bearer {{ secret:COLLECTOR_KEY }}' };
  expect(await put({ headers })).toEqual([403, expect.stringContaining('SECRETS:WRITE')]);
  expect(await put({ content: 'full' })).toEqual([403, expect.stringContaining('AGENTS:READ')]);
  expect((await call('GET', '/v1/telemetry')).status).toBe(404);
  expect(await put({ headers: { 'x-key': 'its own' } })).toEqual([200, null]);
  const more = ['TELEMETRY:WRITE', 'SECRETS:WRITE', 'FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'];
  const other = await newKey(tenant, { permissions: more });
  const body = { endpoint, headers, content: 'full' };
  await expectStatus(200, other.call('PUT', '/v1/telemetry', { body }));
});

test('the deletion of a secret knows that a header names it, until the header does not', async () => {
  const tenant = await newTenant();
  const create = (key: string) =>
    expectStatus(201, tenant.call('POST', '/v1/secrets', { body: { key, value: 'a-value-of-it' } }));
  const [one, other] = [await create('COLLECTOR_KEY'), await create('OTHER_KEY')];
  await setTelemetry(tenant, { endpoint, headers: { a: 'Bearer {{secret:OTHER_KEY}}' } });
  await setTelemetry(tenant, { endpoint, headers: { a: 'Bearer {{secret:COLLECTOR_KEY}}' } });
  const remove = ({ data }: { data: { id: string } }) =>
    expectStatus(200, tenant.call('DELETE', `/v1/secrets/${data.id}`));
  expect(await remove(one)).toMatchObject({ referenceCount: 1 });
  expect(await remove(other)).toMatchObject({ referenceCount: 0 });
});
