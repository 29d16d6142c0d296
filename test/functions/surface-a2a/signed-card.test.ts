import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { type AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { decodeProtectedHeader, type JWK } from 'jose';
import { expect, test, vi } from 'vitest';
import { cardKeys } from '../../../shared/domain/surfaces/card-keys.ts';
import { surfaceStore } from '../../../shared/domain/surfaces/surface-store.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import { a2aWorld } from '../../support/surfaces/a2a-surface.ts';

type World = Awaited<ReturnType<typeof a2aWorld>>;
interface Signed {
  protected: string;
  signature: string;
}

const jwkOf = (pair: { privateKey: { export: (as: { format: 'jwk' }) => JsonWebKey } }) =>
  pair.privateKey.export({ format: 'jwk' });
const keys = {
  ES256: jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  ES384: jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-384' })),
  ES512: jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-521' })),
  EdDSA: jwkOf(generateKeyPairSync('ed25519')),
  RS256: jwkOf(generateKeyPairSync('rsa', { modulusLength: 2_048 })),
};
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const;

const put = ({ tenant, path }: World, behavior: object) => tenant.call('PUT', path, { body: { behavior } });
const signBy = (world: World, key: string) => put(world, { cardSigning: { secret: `{{secret:${key}}}` } });

/** An a2a surface whose card a secret with this value signs. */
async function signingWorld(value: object) {
  const world = await a2aWorld();
  await newSecret(world.tenant, { key: 'CARD_KEY', value: JSON.stringify(value) });
  await expectStatus(200, signBy(world, 'CARD_KEY'));
  return world;
}

const read = async (url: string, version = '1.0') => {
  const response = await fetch(url, { headers: { 'a2a-version': version } });
  return { status: response.status, body: await response.json(), headers: response.headers };
};
const cardOf = async ({ url }: Pick<World, 'url'>, version?: string) =>
  (await read(`${url}/.well-known/agent-card.json`, version)).body as AgentCard & { signatures?: Signed[] };
const keysOf = async ({ url }: Pick<World, 'url'>) =>
  (await read(`${url}/.well-known/jwks.json`)).body as { keys: JWK[] };

/** As a client does that was given nothing but the card. */
const verified = (card: AgentCard) =>
  verifyAgentCardSignature(async (kid, jku) => {
    const { body } = await read(String(jku));
    const found = (body as { keys: JWK[] }).keys.find((key) => key.kid === kid);
    if (!found) throw new Error('No such key');
    return found;
  })(card);

test('the ETag of a signed card stays the same, although signatures differ, until its key changes', async () => {
  const world = await signingWorld(keys.ES256);
  const path = `${world.url}/.well-known/agent-card.json`;
  const [one, two] = [await read(path), await read(path)];
  expect(one.body).not.toEqual(two.body);
  expect(one.headers.get('etag')).toMatch(/"/);
  expect(one.headers.get('etag')).toBe(two.headers.get('etag'));
  await newSecret(world.tenant, { key: 'OTHER_KEY', value: JSON.stringify(keys.EdDSA) });
  await expectStatus(200, signBy(world, 'OTHER_KEY'));
  expect((await read(path)).headers.get('etag')).not.toBe(one.headers.get('etag'));
});

test.each(Object.entries(keys))(
  'a card is signed with %s, and the official verifier accepts it',
  async (alg, jwk) => {
    const world = await signingWorld(jwk);
    const card = await cardOf(world);
    expect(card.signatures).toHaveLength(1);
    const header = decodeProtectedHeader(card.signatures?.[0] as Signed);
    expect(header).toEqual({
      alg,
      typ: 'JOSE',
      kid: expect.stringMatching(/^[\w-]{43}$/),
      jku: `${world.url}/.well-known/jwks.json`,
    });
    await verified(card);
    vi.spyOn(console, 'debug').mockImplementation(() => {});
    await expect(verified({ ...card, name: 'Another' })).rejects.toThrow('No valid signatures');
    const schemes = { ...card.securitySchemes, key: {} };
    await expect(verified({ ...card, securitySchemes: schemes } as AgentCard)).rejects.toThrow('No valid');
  },
);

test('the keys are public: no private member, no credential, and those of an unsigned card are none', async () => {
  const world = await signingWorld({ ...keys.RS256, kid: 'card-1', alg: 'PS256', use: 'sig' });
  const { keys: shown } = await keysOf(world);
  expect(shown).toEqual([
    { kty: 'RSA', n: keys.RS256.n, e: keys.RS256.e, kid: 'card-1', alg: 'PS256', use: 'sig' },
  ]);
  await verified(await cardOf(world));
  const surface = await expectStatus(200, world.tenant.call('GET', world.path));
  expect(surface.behavior.cardSigning).toEqual({ secret: '{{secret:CARD_KEY}}' });
  const seen = JSON.stringify([shown, surface, await cardOf(world)]);
  for (const member of privateMembers) expect(seen).not.toContain(keys.RS256[member]);
  expect(await keysOf(await a2aWorld())).toEqual({ keys: [] });
  await expectStatus(200, world.tenant.call('PUT', world.path, { body: { status: 'paused' } }));
  expect((await read(`${world.url}/.well-known/jwks.json`)).status).toBe(404);
});

test('a card of 0.3 has no signature, and neither has one after the key is removed', async () => {
  const world = await signingWorld(keys.ES256);
  expect(await cardOf(world, '0.3')).not.toHaveProperty('signatures');
  await expectStatus(200, put(world, { cardSigning: null }));
  expect(await cardOf(world)).not.toHaveProperty('signatures');
});

const { d: _, ...publicOnly } = keys.ES256;
const weak = jwkOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }));
const wrong: [string, unknown, string][] = [
  ['no JSON', 'not a key at all', 'no private JSON Web Key'],
  ['no object', [keys.ES256], 'no private JSON Web Key'],
  ['a set', { keys: [keys.ES256] }, 'kty'],
  ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0c2VjcmV0' }, 'symmetric'],
  ['a public key', publicOnly, 'public key'],
  ['another curve', { ...keys.ES256, crv: 'secp256k1' }, 'crv'],
  ['an algorithm of other keys', { ...keys.ES256, alg: 'RS256' }, 'alg of this key must be ES256'],
  ['a key for encryption', { ...keys.ES256, use: 'enc' }, 'use'],
  ['a short RSA key', weak, '2048'],
  ['a member missing', { ...keys.RS256, n: undefined }, 'do not make a valid key'],
  [
    'the public members of another key',
    { ...keys.ES256, d: jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })).d },
    'do not make a valid key',
  ],
  ['a long kid', { ...keys.ES256, kid: 'k'.repeat(257) }, 'kid'],
  ['half a character as kid', { ...keys.ES256, kid: '\ud800' }, 'well-formed'],
];

test('400 that names what is wrong with the key, and nothing of it', async () => {
  const world = await a2aWorld();
  for (const [index, [, value, words]] of wrong.entries()) {
    const key = `WRONG_${index}`;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    await newSecret(world.tenant, { key, value: text });
    const { details } = await expectStatus(400, signBy(world, key));
    expect(details).toEqual([
      { path: 'behavior.cardSigning.secret', code: 'INVALID_VALUE', message: expect.stringContaining(words) },
    ]);
    for (const member of ['d', 'k', 'n'])
      expect(JSON.stringify(details)).not.toContain((value as JsonWebKey)[member as 'd'] ?? 'nothing of it');
  }
  const { details } = await expectStatus(400, signBy(world, 'NO_SUCH_KEY'));
  expect(details[0].message).toContain('NO_SUCH_KEY');
  for (const cardSigning of [
    {},
    true,
    { secret: 7 },
    { secret: JSON.stringify(keys.ES256) },
    { secret: '{{secret:A_KEY}}', more: 1 },
  ]) {
    await expectStatus(400, put(world, { cardSigning }));
  }
  expect(await cardOf(world)).not.toHaveProperty('signatures');
});

test('a surface is created with a key, and the secret knows who uses it', async () => {
  const { tenant, productId } = await a2aWorld();
  const secret = await newSecret(tenant, {
    key: 'CARD_KEY',
    value: JSON.stringify(keys.EdDSA),
  });
  const body = (key: string) => ({
    name: 'Signed',
    type: 'a2a',
    status: 'active',
    behavior: { cardSigning: { secret: `{{secret:${key}}}` } },
  });
  await expectStatus(400, tenant.call('POST', `/v1/products/${productId}/surfaces`, { body: body('NONE') }));
  await expectStatus(
    201,
    tenant.call('POST', `/v1/products/${productId}/surfaces`, { body: body('CARD_KEY') }),
  );
  const deleted = await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${secret.id}`));
  expect(deleted).toMatchObject({ referenceCount: 1 });
});

test('a secret that is no key any more leaves the card unsigned', async () => {
  const world = await signingWorld(keys.ES256);
  const { data } = await expectStatus(200, world.tenant.call('GET', '/v1/secrets'));
  const { id } = data.find(({ key }: { key: string }) => key === 'CARD_KEY');
  await expectStatus(
    200,
    world.tenant.call('PUT', `/v1/secrets/${id}`, { body: { value: 'no key any more' } }),
  );
  expect(await cardOf(world)).not.toHaveProperty('signatures');
  expect(await keysOf(world)).toEqual({ keys: [] });
  expect(JSON.stringify(await cardOf(world, '0.3'))).toContain('A surface');
});

test('a key costs one read of the table for each card, and a surface without one none', async () => {
  const { tenant, productId, surface } = await signingWorld(keys.ES256);
  const { scopeOf, consumed, reset } = countingRuntime();
  const scope = scopeOf(tenant.tenant);
  const signed = await surfaceStore(scope).find(productId, surface.id);
  reset();
  for (let time = 0; time < 3; time++)
    expect(await cardKeys(scope).findCardKey(signed)).toMatchObject({ alg: 'ES256' });
  expect(consumed.commands).toEqual(['BatchGetItem', 'BatchGetItem', 'BatchGetItem']);
  reset();
  expect(await cardKeys(scope).findCardKey({ ...signed, behavior: {} })).toBeUndefined();
  expect(consumed.commands).toEqual([]);
});
