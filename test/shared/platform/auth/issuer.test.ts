import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { generateKeyPair } from 'jose';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createIssuerVerifier } from '../../../../shared/platform/auth/issuer.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { ownIssuer, testAudience } from '../../../support/stack/own-gateway.ts';

const stranger = await generateKeyPair('ES256');
const discovery = '/.well-known/openid-configuration';

/** An issuer, who trusts it, and a clock that is set by hand. */
async function trusted() {
  const issuer = await ownIssuer();
  onTestFinished(issuer.close);
  let at = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: at });
  return {
    ...issuer,
    verify: createIssuerVerifier(issuer.url, testAudience),
    advance: (ms: number) => {
      at += ms;
      vi.setSystemTime(at);
    },
    bySomebodyElse: () => issuer.sign({}, { kid: crypto.randomUUID() }, stranger.privateKey),
  };
}
afterEach(() => {
  vi.useRealTimers();
});

test('concurrent tokens share one fetch of the issuer’s keys', async () => {
  const { verify, sign, asked } = await trusted();
  await Promise.all(Array.from({ length: 20 }, async () => verify(await sign())));
  await verify(await sign());
  expect(asked).toEqual({ [discovery]: 1, '/jwks': 1 });
});

test('unknown key ids trigger at most one refetch per 30 seconds', async () => {
  const { verify, sign, asked, advance, bySomebodyElse } = await trusted();
  await verify(await sign());
  for (let n = 0; n < 10; n++)
    await expect(verify(await bySomebodyElse())).rejects.toThrow('no applicable key');
  expect(asked['/jwks']).toBe(1);
  advance(30_000);
  const refusals = await Promise.allSettled(
    Array.from({ length: 10 }, async () => verify(await bySomebodyElse())),
  );
  expect(refusals.every(({ status }) => status === 'rejected')).toBe(true);
  for (let n = 0; n < 10; n++)
    await expect(verify(await bySomebodyElse())).rejects.toThrow('no applicable key');
  expect(asked).toEqual({ [discovery]: 1, '/jwks': 2 });
});

test('a new issuer key is accepted after the next fetch; a removed key is rejected after ten minutes', async () => {
  const { verify, sign, pairs, published, state, advance } = await trusted();
  state.published = published.slice(0, 1);
  await verify(await sign());
  const withNew = await sign({}, { alg: 'RS256', kid: 'RS256' }, pairs.RS256.privateKey);
  state.published = published.slice(1);
  await expect(verify(withNew)).rejects.toMatchObject({ isFinal: false });
  advance(30_000);
  await expect(verify(withNew)).resolves.toMatchObject({ exp: expect.any(Number) });
  state.published = published.slice(0, 1);
  advance(599_000);
  const later = () =>
    sign(
      { exp: Math.floor(Date.now() / 1_000) + 60 },
      { alg: 'RS256', kid: 'RS256' },
      pairs.RS256.privateKey,
    );
  await expect(verify(await later())).resolves.toBeDefined();
  advance(1_000);
  await expect(verify(await later())).rejects.toThrow('no applicable key');
});

test('a failing issuer is not retried for five seconds, and its tokens are not rejected as invalid', async () => {
  const { verify, sign, asked, state, advance } = await trusted();
  const token = await sign();
  state.status = 503;
  for (let n = 0; n < 5; n++) {
    const refusal = verify(token);
    await expect(refusal).rejects.toThrow(discovery);
    expect(await refusal.catch((error: object) => error)).not.toHaveProperty('isFinal');
  }
  expect(asked).toEqual({ [discovery]: 1 });
  state.status = 200;
  advance(5_000);
  await expect(verify(token)).resolves.toBeDefined();
  state.status = 503;
  advance(600_000);
  const later = await sign({ exp: Math.floor(Date.now() / 1_000) + 60 });
  for (let n = 0; n < 5; n++) await expect(verify(later)).rejects.toThrow('/jwks');
  expect(asked).toEqual({ [discovery]: 2, '/jwks': 2 });
});

test('a discovery document that names another issuer is rejected', async () => {
  const { url, sign } = await trusted();
  const other = createIssuerVerifier(`${url}/`, testAudience);
  await expect(other(await sign({ iss: `${url}/` }))).rejects.toThrow('publishes another issuer name');
});

test('a token expires at the exact second of exp and is valid from five seconds before nbf', async () => {
  const { verify, sign, advance } = await trusted();
  const now = Math.floor(Date.now() / 1_000);
  advance(1_000 - (Date.now() % 1_000));
  const token = await sign({ exp: now + 61, nbf: now + 11 });
  advance(4_999);
  await expect(verify(token)).rejects.toMatchObject({ isFinal: false });
  advance(1);
  await expect(verify(token)).resolves.toMatchObject({ exp: now + 61 });
  advance(54_999);
  await expect(verify(token)).resolves.toBeDefined();
  advance(1);
  await expect(verify(token)).rejects.toMatchObject({ isFinal: true });
});

test('an endless issuer response is read up to 1 MB', async () => {
  let closed = 0;
  const server = await loopback(async (_request, response) => {
    async function* pieces() {
      for (;;) yield 'x'.repeat(1_000_000);
    }
    await pipeline(Readable.from(pieces()), response).catch(() => closed++);
  });
  await expect(createIssuerVerifier(server.url, testAudience)('a.b.c')).rejects.toThrow(
    'the response has more than 1000000 bytes',
  );
  await eventually(() => expect(closed).toBe(1));
});
