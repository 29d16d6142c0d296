import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { callerWith, stack } from '../../../support/stack/stack.ts';

const issuer = () => `${stack().url}/local/oidc`;
const consoleUrl = () => `${stack().url}/console`;

function newAttempt(changes: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const request = {
    response_type: 'code',
    client_id: 'console',
    redirect_uri: consoleUrl(),
    state: 'abc',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  return { verifier, request };
}

const form = (path: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(issuer() + path, { method: 'POST', body: new URLSearchParams(body), redirect: 'manual', headers });

const signIn = (request: Record<string, string>, headers?: Record<string, string>) =>
  form(
    '/authorize',
    { ...request, userId: 'ada', organizationId: 'analysts', permissions: 'FLOWS:READ' },
    headers,
  );

const locationOf = (response: Response) => new URL(response.headers.get('location') ?? '');

async function granted() {
  const { verifier, request } = newAttempt();
  const response = await signIn(request);
  const location = locationOf(response);
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { verifier, request, location, code: location.searchParams.get('code') ?? '', cookie };
}

const redeem = (code: string, code_verifier: string, redirect_uri = consoleUrl()) =>
  form('/token', { grant_type: 'authorization_code', code, code_verifier, redirect_uri });

test('a code is exchanged once, for tokens of the chosen user; the refresh token gives new ones, and is no session', async () => {
  const { code, verifier, location } = await granted();
  expect([location.origin + location.pathname, location.searchParams.get('state')]).toEqual([
    consoleUrl(),
    'abc',
  ]);
  const tokens = await (await redeem(code, verifier)).json();
  const { status, body } = await callerWith(tokens.access_token)('GET', '/v1/usage-limits');
  expect([status, body.usage.userId]).toEqual([200, 'ada']);
  expect((await callerWith(tokens.access_token)('GET', '/v1/secrets')).status).toBe(403);
  expect((await redeem(code, verifier)).status).toBe(400);
  const { refresh_token } = tokens;
  expect((await callerWith(refresh_token)('GET', '/v1/usage-limits')).status).toBe(401);
  const renewed = await (await form('/token', { grant_type: 'refresh_token', refresh_token })).json();
  expect((await callerWith(renewed.access_token)('GET', '/v1/usage-limits')).status).toBe(200);
  const withAccess = await form('/token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.access_token,
  });
  expect(withAccess.status).toBe(400);
});

test('a code is of no use without its verifier, or for another page', async () => {
  const first = await granted();
  expect((await redeem(first.code, 'x'.repeat(43))).status).toBe(400);
  // It is spent by the attempt.
  expect((await redeem(first.code, first.verifier)).status).toBe(400);
  const second = await granted();
  expect((await redeem(second.code, second.verifier, `${consoleUrl()}/other`)).status).toBe(400);
});

test('a browser that signed in needs no form, until it signs out', async () => {
  const { cookie, request } = await granted();
  const query = new URLSearchParams(request);
  const asked = await fetch(`${issuer()}/authorize?${query}`, { redirect: 'manual', headers: { cookie } });
  expect([asked.status, locationOf(asked).searchParams.has('code')]).toEqual([303, true]);
  const silent = await fetch(`${issuer()}/authorize?${query}&prompt=none`, { redirect: 'manual' });
  expect(locationOf(silent).searchParams.get('error')).toBe('login_required');
  const out = await fetch(`${issuer()}/sign-out?post_logout_redirect_uri=${consoleUrl()}`, {
    redirect: 'manual',
  });
  expect([locationOf(out).href, out.headers.get('set-cookie')]).toEqual([
    consoleUrl(),
    expect.stringContaining('Max-Age=0'),
  ]);
});

test.each([
  ['another page', { redirect_uri: 'https://evil.example/console' }],
  ['another path', { redirect_uri: 'http://127.0.0.1/elsewhere' }],
  ['a name that begins as ours', { redirect_uri: 'http://127.0.0.1.evil.example/console' }],
  ['another client', { client_id: 'other' }],
  ['no PKCE', { code_challenge: '' }],
  ['plain PKCE', { code_challenge_method: 'plain' }],
  ['tokens in the address', { response_type: 'token' }],
])('%s gets no code, and nobody is sent there', async (_, changes) => {
  const { request } = newAttempt(changes);
  for (const response of [
    await fetch(`${issuer()}/authorize?${new URLSearchParams(request)}`, { redirect: 'manual' }),
    await signIn(request),
  ]) {
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  }
});

test('the form of another page signs nobody in, and other pages cannot read tokens', async () => {
  const { request } = newAttempt();
  const { status, headers } = await signIn(request, { origin: 'https://evil.example' });
  expect([status, headers.get('set-cookie')]).toEqual([403, null]);
  const { code, verifier } = await granted();
  const body = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: consoleUrl(),
  };
  const answer = await form('/token', body, { origin: 'https://evil.example' });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('the page shows what was sent as text, and says what is wrong', async () => {
  const { request } = newAttempt({ state: '"><script>alert(1)</script>' });
  const response = await form('/authorize', { ...request, userId: '<b>', permissions: 'NOTHING:AT_ALL' });
  const page = await response.text();
  expect(response.status).toBe(400);
  expect(page).toContain('This permission covers nothing');
  expect(page).not.toContain('<script>');
  expect(page).toContain('&lt;b&gt;');
});
