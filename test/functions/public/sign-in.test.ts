import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { fetchFromOwnAddress } from '../../support/servers/own-address.ts';
import { ownGateway, testAudience } from '../../support/stack/own-gateway.ts';
import { call, stack } from '../../support/stack/stack.ts';

const path = '/v1/public/sign-in';
const discovery = '/.well-known/openid-configuration';

/** A gateway with an issuer of its own that publishes these members too. */
async function deployment(published: object = {}) {
  const gateway = await ownGateway();
  onTestFinished(gateway.close);
  const { issuer } = gateway;
  Object.assign(issuer.state.discovery, published);
  const ask = async () => {
    const response = await fetchFromOwnAddress(gateway.url + path, {});
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return { issuer, ask };
}

const endpoints = {
  authorization_endpoint: 'https://id.example.com/authorize',
  token_endpoint: 'https://id.example.com/token',
};

beforeEach(() => {
  vi.stubEnv('CONSOLE_CLIENT_ID', 'the console');
});
afterEach(() => {
  vi.useRealTimers();
});

test('the embedded stack says without a credential how its issuer signs people in', async () => {
  const { status, body } = await call('GET', path);
  const issuer = `${stack().url}/local/oidc`;
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      issuer,
      clientId: 'console',
      audience: 'local',
      authorizationEndpoint: expect.stringMatching(/^http:/),
      tokenEndpoint: expect.stringMatching(/^http:/),
      endSessionEndpoint: expect.stringMatching(/^http:/),
      scopes: ['openid', 'email', 'profile'],
    },
  });
});

test('the endpoints are those that the issuer publishes, which is read once', async () => {
  const end_session_endpoint = 'https://id.example.com/logout';
  const scopes_supported = ['profile', 'openid', 'phone'];
  const { issuer, ask } = await deployment({ ...endpoints, end_session_endpoint, scopes_supported });
  const answers = await Promise.all([ask(), ask(), ask()]);
  for (const { body } of [...answers, await ask()]) {
    expect(body).toEqual({
      issuer: issuer.url,
      clientId: 'the console',
      audience: testAudience,
      authorizationEndpoint: endpoints.authorization_endpoint,
      tokenEndpoint: endpoints.token_endpoint,
      endSessionEndpoint: end_session_endpoint,
      scopes: ['openid', 'profile'],
    });
  }
  expect(issuer.asked).toEqual({ [discovery]: 1 });
});

test('an audience that is the client itself is null, and so is the end of sessions that the issuer lacks', async () => {
  vi.stubEnv('CONSOLE_CLIENT_ID', testAudience);
  const { ask } = await deployment(endpoints);
  expect((await ask()).body).toMatchObject({
    clientId: testAudience,
    audience: null,
    endSessionEndpoint: null,
  });
});

test('404 with the reason where the deployment or its issuer cannot sign people in on a page', async () => {
  const withoutEndpoints = await deployment();
  expect(await withoutEndpoints.ask()).toMatchObject({
    status: 404,
    body: {
      error: 'Sign-in not found',
      details: [{ code: 'NOT_CONFIGURED', message: expect.stringContaining(withoutEndpoints.issuer.url) }],
    },
  });
  vi.stubEnv('CONSOLE_CLIENT_ID', '');
  const withoutClient = await deployment(endpoints);
  expect(await withoutClient.ask()).toMatchObject({
    status: 404,
    body: { details: [{ code: 'NOT_CONFIGURED', message: expect.stringContaining('no OAuth client') }] },
  });
  expect(withoutClient.issuer.asked).toEqual({});
});

test('503 while the issuer does not respond, without another request for five seconds, then it recovers', async () => {
  const { issuer, ask } = await deployment(endpoints);
  issuer.state.status = 503;
  for (let n = 0; n < 3; n++) {
    const { status, headers, body } = await ask();
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        error: 'Service unavailable',
        details: [{ code: 'UPSTREAM_FAILED', message: expect.stringContaining(issuer.url) }],
      },
    });
    expect(headers.get('retry-after')).toBe('5');
  }
  expect(issuer.asked).toEqual({ [discovery]: 1 });
  issuer.state.status = 200;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 });
  expect((await ask()).status).toBe(200);
});
