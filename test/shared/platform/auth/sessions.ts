import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, UnsecuredJWT } from 'jose';
import { testAudience } from '../../../support/stack/own-gateway.ts';
import { type AuthWorld, type Case, missing, unauthorized, welcome } from './world.ts';

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token whose signature is an HMAC with a text that anybody can know. */
async function withHmac({ issuer, bearer }: AuthWorld, secret: string, header = {}) {
  const [, payload] = (await issuer.sign()).split('.');
  const signed = `${encode({ alg: 'HS256', kid: 'ES256', typ: 'JWT', ...header })}.${payload}`;
  return bearer(`${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`);
}
async function unsigned({ issuer, bearer }: AuthWorld, alg: string, signature = '') {
  const [, payload] = (await issuer.sign()).split('.');
  return bearer(`${encode({ alg })}.${payload}.${signature}`);
}
const stranger = await generateKeyPair('ES256', { extractable: true });

export const sessions: Case[] = [
  ['a token', ({ signed }) => signed(), welcome],
  [
    'a token signed with RSA',
    ({ signed, issuer }) => signed({}, { alg: 'RS256', kid: 'RS256' }, issuer.pairs.RS256.privateKey),
    welcome,
  ],
  [
    'a token without a key id, of whose kind there is one key',
    ({ signed }) => signed({}, { kid: undefined }),
    welcome,
  ],
  ['an algorithm called none', (world) => unsigned(world, 'none'), unauthorized],
  ['an algorithm called nOnE', (world) => unsigned(world, 'nOnE'), unauthorized],
  ['none, with a signature', (world) => unsigned(world, 'none', 'c2lnbmF0dXJl'), unauthorized],
  ['no algorithm', (world) => unsigned(world, '', 'c2lnbmF0dXJl'), unauthorized],
  [
    'an unsecured token as jose writes it',
    ({ bearer, issuer, now }) =>
      bearer(new UnsecuredJWT({ iss: issuer.url, aud: testAudience, sub: 'ada', exp: now() + 60 }).encode()),
    unauthorized,
  ],
  [
    'HS256 with the public key as PEM',
    async (world) => withHmac(world, await exportSPKI(world.issuer.pairs.ES256.publicKey)),
    unauthorized,
  ],
  [
    'HS256 with the public RSA key as PEM',
    async (world) => withHmac(world, await exportSPKI(world.issuer.pairs.RS256.publicKey), { kid: 'RS256' }),
    unauthorized,
  ],
  [
    'HS256 with the public key as JWK',
    (world) => withHmac(world, JSON.stringify(world.issuer.published[0])),
    unauthorized,
  ],
  ['HS256 with nothing', (world) => withHmac(world, ''), unauthorized],
  [
    'HS256 with an empty file as its key',
    (world) => withHmac(world, '', { kid: '../../../dev/null' }),
    unauthorized,
  ],
  [
    'an ES256 signature that says RS256',
    async ({ issuer, bearer }) => {
      const [, payload, signature] = (await issuer.sign()).split('.');
      return bearer(`${encode({ alg: 'RS256', kid: 'ES256' })}.${payload}.${signature}`);
    },
    unauthorized,
  ],
  ['an EC token that names the RSA key', ({ signed }) => signed({}, { kid: 'RS256' }), unauthorized],
  [
    'another’s signature under a known key id',
    ({ signed }) => signed({}, {}, stranger.privateKey),
    unauthorized,
  ],
  ['an unknown key id', ({ signed }) => signed({}, { kid: 'unknown' }, stranger.privateKey), unauthorized],
  [
    'a key id that is a path',
    ({ signed }) => signed({}, { kid: '../../etc/passwd' }, stranger.privateKey),
    unauthorized,
  ],
  [
    'a key id that is SQL',
    ({ signed }) => signed({}, { kid: "x' UNION SELECT 'key" }, stranger.privateKey),
    unauthorized,
  ],
  ['a key id that is an object', ({ signed }) => signed({}, { kid: {} }, stranger.privateKey), unauthorized],
  [
    'a key id of __proto__',
    ({ signed }) => signed({}, { kid: '__proto__' }, stranger.privateKey),
    unauthorized,
  ],
  [
    'a key in the header',
    async ({ signed }) => {
      return signed({}, { kid: 'mine', jwk: await exportJWK(stranger.publicKey) }, stranger.privateKey);
    },
    unauthorized,
  ],
  [
    'the address of a key in the header',
    ({ signed, issuer }) => signed({}, { kid: 'mine', jku: `${issuer.url}/mine` }, stranger.privateKey),
    unauthorized,
  ],
  [
    'the address of a certificate in the header',
    ({ signed, issuer }) => signed({}, { kid: 'mine', x5u: `${issuer.url}/mine` }, stranger.privateKey),
    unauthorized,
  ],
  [
    'a critical header that nobody knows',
    async ({ issuer, bearer }) => {
      const [, payload, signature] = (await issuer.sign()).split('.');
      return bearer(`${encode({ alg: 'ES256', kid: 'ES256', crit: ['x'], x: 1 })}.${payload}.${signature}`);
    },
    unauthorized,
  ],
  ['another issuer', ({ signed }) => signed({ iss: 'https://evil.example' }), unauthorized],
  ['no issuer', ({ signed }) => signed({ iss: undefined }), unauthorized],
  ['the issuer with a slash', ({ signed, issuer }) => signed({ iss: `${issuer.url}/` }), unauthorized],
  ['another audience', ({ signed }) => signed({ aud: 'another' }), unauthorized],
  ['no audience', ({ signed }) => signed({ aud: undefined }), unauthorized],
  ['several audiences, ours among them', ({ signed }) => signed({ aud: ['another', testAudience] }), welcome],
  [
    'several audiences without ours',
    ({ signed }) => signed({ aud: ['another', `${testAudience}s`] }),
    unauthorized,
  ],
  [
    'a client in place of an audience',
    ({ signed }) => signed({ aud: undefined, client_id: testAudience }),
    welcome,
  ],
  [
    'our client, for another audience',
    ({ signed }) => signed({ aud: 'another', client_id: testAudience }),
    unauthorized,
  ],
  ['a token that expired one second ago', ({ signed, now }) => signed({ exp: now() - 1 }), unauthorized],
  ['a token that expired long ago', ({ signed, now }) => signed({ exp: now() - 86_400 }), unauthorized],
  ['a token that never expires', ({ signed }) => signed({ exp: undefined }), unauthorized],
  ['an expiry that is a text', ({ signed }) => signed({ exp: '9999999999' }), unauthorized],
  ['a token that is not valid yet', ({ signed, now }) => signed({ nbf: now() + 60 }), unauthorized],
  ['a token of a clock that is a little ahead', ({ signed, now }) => signed({ nbf: now() + 3 }), welcome],
  ['a not-before that is a text', ({ signed }) => signed({ nbf: '1' }), unauthorized],
  ['no subject', ({ signed }) => signed({ sub: undefined }), unauthorized],
  ['an empty subject', ({ signed }) => signed({ sub: '' }), unauthorized],
  ['a subject that is a number', ({ signed }) => signed({ sub: 7 }), unauthorized],
  ['a subject of 256 characters', ({ signed }) => signed({ sub: 'x'.repeat(256) }), unauthorized],
  ['a subject with half a character', ({ signed }) => signed({ sub: 'x\ud800' }), unauthorized],
  [
    'a subject that no key of the table takes',
    ({ signed }) => signed({ sub: '€'.repeat(255) }),
    unauthorized,
  ],
  ['a subject in another script', ({ signed }) => signed({ sub: `Ада/#\0 ${crypto.randomUUID()}` }), welcome],
  ['an organization that is a number', ({ signed }) => signed({ organizationId: 7 }), unauthorized],
  ['an empty organization', ({ signed }) => signed({ organizationId: '' }), unauthorized],
  ['no organization, said so', ({ signed }) => signed({ organizationId: null }), welcome],
  ['permissions as scopes', ({ signed }) => signed({ permissions: 'openid FLOWS:READ email' }), welcome],
  ['permissions that are a number', ({ signed }) => signed({ permissions: 7 }), unauthorized],
  ['no permissions, said so', ({ signed }) => signed({ permissions: [] }), missing('FLOWS:READ')],
  ['permissions as an empty text', ({ signed }) => signed({ permissions: '' }), missing('FLOWS:READ')],
  [
    'permissions that nobody knows',
    ({ signed }) => signed({ permissions: ['FLOWS:FLY', 'ROOT'] }),
    missing('FLOWS:READ'),
  ],
  [
    'permissions in lower case',
    ({ signed }) => signed({ permissions: ['flows:read'] }),
    missing('FLOWS:READ'),
  ],
  [
    'a session that makes a key with more than it holds',
    async ({ issuer }) => ({
      lines: [
        `Authorization: Bearer ${await issuer.sign({ permissions: ['API_KEYS:WRITE', 'FLOWS:READ'] })}`,
      ],
      request: { method: 'POST', path: '/v1/api-keys', body: '{"name":"x","permissions":["FLOWS:*"]}' },
    }),
    missing('FLOWS:*'),
  ],
  [
    'a token without its signature',
    async ({ issuer, bearer }) => bearer((await issuer.sign()).replace(/[^.]+$/, '')),
    unauthorized,
  ],
  [
    'a token cut short',
    async ({ issuer, bearer }) => bearer((await issuer.sign()).slice(0, -5)),
    unauthorized,
  ],
  [
    'two parts',
    async ({ issuer, bearer }) => bearer((await issuer.sign()).replace(/\.[^.]+$/, '')),
    unauthorized,
  ],
  ['four parts', async ({ issuer, bearer }) => bearer(`${await issuer.sign()}.x`), unauthorized],
  ['five parts, as of an encrypted token', ({ bearer }) => bearer('a.b.c.d.e'), unauthorized],
  ['three empty parts', ({ bearer }) => bearer('..'), unauthorized],
  [
    'a changed payload',
    async ({ issuer, bearer }) => {
      const [header, payload = '', signature] = (await issuer.sign({ permissions: [] })).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return bearer(`${header}.${encode({ ...claims, permissions: ['*'] })}.${signature}`);
    },
    unauthorized,
  ],
  [
    'a payload that is no JSON',
    ({ bearer }) => bearer(`${encode({ alg: 'ES256' })}.${encode('x')}.AAAA`),
    unauthorized,
  ],
  ['a header that is no JSON', ({ bearer }) => bearer(`${encode('x')}.${encode({})}.AAAA`), unauthorized],
  ['a header that is a list', ({ bearer }) => bearer(`${encode([])}.${encode({})}.AAAA`), unauthorized],
  ['a token that is too long', ({ signed }) => signed({ padding: 'x'.repeat(7_000) }), unauthorized],
  ['a token almost too long', ({ signed }) => signed({ padding: 'x'.repeat(5_500) }), welcome],
];
