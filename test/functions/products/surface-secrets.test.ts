import { expect, test } from 'vitest';
import {
  surfaceSecretEntity,
  surfaceSecretsPartition,
} from '../../../shared/domain/surfaces/secrets/surface-secret-entity.ts';
import { surfaceSecrets } from '../../../shared/domain/surfaces/secrets/surface-secrets.ts';
import { surfaceEntity } from '../../../shared/domain/surfaces/surface/surface.ts';
import { surfaceEditor } from '../../../shared/domain/surfaces/surface-editor.ts';
import { surfaceStore } from '../../../shared/domain/surfaces/surface-store.ts';
import { tenantLimits } from '../../../shared/domain/tenant-limits.ts';
import { cleaner } from '../../../shared/execution/cleaner.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { createProduct, createSurface } from '../../support/surfaces/products.ts';

const [first, second, third] = ['the first secret', 'the second secret', 'the third secret'];
const stored = { configured: true, id: expect.stringMatching(/^surfsecret_/) };
const url = 'https://receiver.example/hooks';
const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const signedBy = (...secrets: unknown[]) => ({ inbound: { signature: { scheme: 'github', secrets } } });
const sentTo = (webhook: object) => ({ outbound: { webhook } });

interface Place {
  productId: string;
  id: string;
}
const pathOf = ({ productId, id }: Place) => `/v1/products/${productId}/surfaces/${id}`;
const scopeOf = ({ tenant }: Tenant) => countingRuntime().scopeOf(tenant);
const update = (tenant: Tenant, surface: Place, body: object) =>
  expectStatus(200, tenant.call('PUT', pathOf(surface), { body }));
const get = (tenant: Tenant, surface: Place) => expectStatus(200, tenant.call('GET', pathOf(surface)));

/** What a webhook surface with these members has at its use. */
async function valuesOf(tenant: Tenant, { productId, id }: Place) {
  const scope = scopeOf(tenant);
  return surfaceSecrets(scope)(await surfaceStore(scope).find(productId, id));
}

async function webhookSurface(members: object) {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  return {
    tenant,
    productId,
    surface: await createSurface(tenant, productId, { type: 'webhook', ...members }),
  };
}

test('plaintext secrets never come back, and signatures are checked by them', async () => {
  const { tenant, productId, surface } = await webhookSurface({
    ...signedBy(first, second),
    ...sentTo({ url, secret: given }),
  });
  expect(surface.inbound.signature.secrets).toEqual([stored, stored]);
  expect(surface.outbound.webhook).toEqual({ url, secret: stored });
  const list = await tenant.call('GET', `/v1/products/${productId}/surfaces`);
  const product = await tenant.call('GET', `/v1/products/${productId}`);
  const item = await scopeOf(tenant).table.get(surfaceEntity, surface);
  for (const seen of [surface, await get(tenant, surface), list.body, product.body, item]) {
    const text = JSON.stringify(seen);
    for (const secret of [first, second, given]) expect(text).not.toContain(secret);
  }
  expect(await valuesOf(tenant, surface)).toEqual({ inbound: [first, second], outbound: given });
});

test('what a read shows can be sent back, and keeps the secrets', async () => {
  const { tenant, surface } = await webhookSurface({
    ...signedBy(first, second),
    ...sentTo({ url, secret: given }),
  });
  const { inbound, outbound } = await get(tenant, surface);
  const after = await update(tenant, surface, { inbound, outbound });
  expect([after.inbound, after.outbound]).toEqual([inbound, outbound]);
  expect(await valuesOf(tenant, surface)).toEqual({ inbound: [first, second], outbound: given });
});

test('a secret is rotated: the new one is added, then the old one is removed', async () => {
  const { tenant, surface } = await webhookSurface(signedBy(first));
  const both = await update(tenant, surface, signedBy(second, { configured: true }));
  expect((await valuesOf(tenant, surface)).inbound).toEqual([second, first]);
  const [newer, older] = both.inbound.signature.secrets;
  await update(tenant, surface, signedBy(newer));
  expect((await valuesOf(tenant, surface)).inbound).toEqual([second]);
  const gone = await tenant.call('PUT', pathOf(surface), { body: signedBy(newer, older) });
  expect([gone.status, gone.body.details]).toEqual([
    400,
    [expect.objectContaining({ path: 'inbound.signature.secrets.1', code: 'NOT_FOUND' })],
  ]);
  await update(tenant, surface, { inbound: {} });
  expect((await valuesOf(tenant, surface)).inbound).toEqual([]);
});

test('another scheme takes another secret: the old one would not have its form', async () => {
  const { tenant, surface } = await webhookSurface(signedBy(first));
  const { signature } = (await get(tenant, surface)).inbound;
  const inbound = { signature: { ...signature, scheme: 'standard-webhooks' } };
  const { status, body } = await tenant.call('PUT', pathOf(surface), { body: { inbound } });
  expect([status, body.details]).toEqual([
    400,
    [expect.objectContaining({ path: 'inbound.signature.secrets.0', code: 'INVALID_VALUE' })],
  ]);
});

test('of two stored secrets, one without its id is ambiguous: 400', async () => {
  const { tenant, surface } = await webhookSurface(signedBy(first, second));
  const { status, body } = await tenant.call('PUT', pathOf(surface), {
    body: signedBy({ configured: true }),
  });
  expect([status, body.details[0].path]).toEqual([400, 'inbound.signature.secrets.0']);
});

test('a reference stays as it was written, counts as one, and has the value of the secret', async () => {
  const tenant = await newTenant();
  const secret = await newSecret(tenant, { key: 'HOOK', value: first });
  const { id: productId } = await createProduct(tenant);
  const members = { ...signedBy('{{secret:HOOK}}', second), ...sentTo({ url, secret: '{{secret:NONE}}' }) };
  const surface = await createSurface(tenant, productId, members);
  expect(surface.inbound.signature.secrets).toEqual(['{{secret:HOOK}}', stored]);
  expect(surface.outbound.webhook.secret).toBe('{{secret:NONE}}');
  expect(await valuesOf(tenant, surface)).toEqual({ inbound: [first, second], outbound: undefined });
  const { referenceCount } = await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${secret.id}`));
  expect(referenceCount).toBe(1);
  expect((await valuesOf(tenant, surface)).inbound).toEqual([second]);
});

test.each<[string, (tenant: Tenant, surface: Place) => Promise<unknown>]>([
  ['a change without it', (tenant, surface) => update(tenant, surface, { inbound: {} })],
  ['the deletion of the surface', (tenant, surface) => tenant.call('DELETE', pathOf(surface))],
  [
    'the deletion of the product',
    (tenant, { productId }) => tenant.call('DELETE', `/v1/products/${productId}`),
  ],
])('%s removes the reference', async (_what, remove) => {
  const tenant = await newTenant();
  const { id } = await newSecret(tenant, { key: 'HOOK' });
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId, signedBy('{{secret:HOOK}}'));
  await remove(tenant, surface);
  const { referenceCount } = await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${id}`));
  expect(referenceCount).toBe(0);
});

test('an outgoing webhook without a secret gets one, which only that response shows', async () => {
  const { tenant, surface } = await webhookSurface(sentTo({ url, events: ['execution.failed'] }));
  const { secret } = surface.outbound.webhook;
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect((await get(tenant, surface)).outbound.webhook).toEqual({
    url,
    events: ['execution.failed'],
    secret: stored,
  });
  const same = await update(tenant, surface, sentTo({ url: `${url}/other` }));
  expect(same.outbound.webhook.secret).toEqual(stored);
  expect((await valuesOf(tenant, surface)).outbound).toBe(secret);
});

test.each<[string, (stored: object) => object]>([
  ['no secret', () => ({})],
  ['the stored secret', (secret) => ({ secret })],
])('a URL of another origin with %s gets a new one', async (_what, more) => {
  const { tenant, surface } = await webhookSurface(sentTo({ url, secret: given }));
  const other = { url: 'https://other.example/hooks', ...more(surface.outbound.webhook.secret) };
  const { secret } = (await update(tenant, surface, sentTo(other))).outbound.webhook;
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(given);
  expect((await valuesOf(tenant, surface)).outbound).toBe(secret);
});

test('a change of one secret keeps the others', async () => {
  const { tenant, surface } = await webhookSurface({ ...signedBy(first), ...sentTo({ url, secret: given }) });
  await update(tenant, surface, signedBy(second));
  expect(await valuesOf(tenant, surface)).toEqual({ inbound: [second], outbound: given });
  await update(tenant, surface, { outbound: {} });
  expect(await valuesOf(tenant, surface)).toEqual({ inbound: [second], outbound: undefined });
});

test('a change that fails leaves the secrets valid', async () => {
  const { tenant, productId, surface } = await webhookSurface(signedBy(first));
  const scope = scopeOf(tenant);
  const { table } = scope;
  const commit = () => Promise.reject(new Error('no table'));
  const failing = { ...scope, table: { ...table, commit, modify: table.modify } };
  const change = surfaceEditor(failing).update(productId, surface.id, signedBy(second) as object);
  await expect(change).rejects.toThrow('no table');
  const tooLarge = { ...signedBy(third), behavior: { text: 'x'.repeat(100_000) } };
  expect((await tenant.call('PUT', pathOf(surface), { body: tooLarge })).status).toBe(400);
  expect((await valuesOf(tenant, surface)).inbound).toEqual([first]);
});

test('concurrent changes: each surface has the secrets of one of them', async () => {
  const { tenant, surface } = await webhookSurface(signedBy(first));
  await Promise.all([second, third].map((secret) => update(tenant, surface, signedBy(secret))));
  expect([[second], [third]]).toContainEqual((await valuesOf(tenant, surface)).inbound);
});

test('deleting a surface makes its secrets unreadable, and its place in the limit free', async () => {
  const { tenant, productId, surface } = await webhookSurface(signedBy(first));
  const scope = scopeOf(tenant);
  const before = await surfaceStore(scope).find(productId, surface.id);
  expect(await scope.table.count({ partition: surfaceSecretsPartition })).toBe(1);
  await expectStatus(200, tenant.call('DELETE', pathOf(surface)));
  await cleaner(scope)(surface.id);
  await cleaner(scope)(surface.id);
  expect(await scope.table.count({ partition: surfaceSecretsPartition })).toBe(0);
  expect((await surfaceSecrets(scope)(before)).inbound).toEqual([]);
});

test('409 for the first secret of one surface more than a tenant can have', async () => {
  const { tenant, productId, surface } = await webhookSurface(signedBy(first));
  const { table, newId } = scopeOf(tenant);
  const others = Array.from({ length: tenantLimits['surfaces with secrets'] - 1 }, () => newId('surface'));
  for (let n = 0; n < others.length; n += 100) {
    const some = others.slice(n, n + 100);
    await table.commit(some.map((surfaceId) => table.writes.insert(surfaceSecretEntity, { surfaceId })));
  }
  const plain = await createSurface(tenant, productId);
  const body = { name: 'x', type: 'api', ...signedBy(second) };
  const refused = [
    await tenant.call('PUT', pathOf(plain), { body: signedBy(second) }),
    await tenant.call('POST', `/v1/products/${productId}/surfaces`, { body }),
  ];
  for (const { status, body } of refused) {
    expect([status, body.details]).toEqual([409, [expect.objectContaining({ code: 'LIMIT_REACHED' })]]);
  }
  await update(tenant, surface, signedBy(second));
});

const signature = (changes: object) => ({
  inbound: { signature: { scheme: 'github', secrets: [first], ...changes } },
});
test.each<[object, string]>([
  [{ inbound: { signature: null } }, 'inbound.signature'],
  [signature({ scheme: 'gitlab' }), 'inbound.signature.scheme'],
  [signature({ secrets: [] }), 'inbound.signature.secrets'],
  [signature({ secrets: [first, second, third] }), 'inbound.signature.secrets'],
  [signature({ secrets: ['short'] }), 'inbound.signature.secrets.0'],
  [signature({ secrets: [1] }), 'inbound.signature.secrets.0'],
  [signature({ secrets: ['a {{secret:HOOK}}'] }), 'inbound.signature.secrets.0'],
  [signature({ secrets: ['{{secret:hook}}'] }), 'inbound.signature.secrets.0'],
  [signature({ secrets: [{ configured: false }] }), 'inbound.signature.secrets.0.configured'],
  [signature({ secrets: [{ configured: true }] }), 'inbound.signature.secrets.0'],
  [signature({ scheme: 'standard-webhooks' }), 'inbound.signature.secrets.0'],
  [signature({ toleranceSeconds: 0 }), 'inbound.signature.toleranceSeconds'],
  [signature({ toleranceSeconds: 86_400 }), 'inbound.signature.toleranceSeconds'],
  [signature({ secret: first }), 'inbound.signature.secret'],
  [sentTo({}), 'outbound.webhook.url'],
  [sentTo({ url: 'ftp://receiver.example' }), 'outbound.webhook.url'],
  [sentTo({ url: 'https://me:secret@receiver.example' }), 'outbound.webhook.url'],
  [sentTo({ url, events: [] }), 'outbound.webhook.events'],
  [sentTo({ url, events: ['all'] }), 'outbound.webhook.events.0'],
  [sentTo({ url, secret: 'not in Base64' }), 'outbound.webhook.secret'],
  [sentTo({ url, secret: 'whsec_c2hvcnQ=' }), 'outbound.webhook.secret'],
])('400 for %j, which names %s', async (body, path) => {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId);
  const paths = `/v1/products/${productId}/surfaces`;
  const answers = [
    await tenant.call('POST', paths, { body: { name: 'x', type: 'webhook', ...body } }),
    await tenant.call('PUT', pathOf(surface), { body }),
  ];
  for (const { status, body } of answers) {
    expect([status, body.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]]);
  }
});
