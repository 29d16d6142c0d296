import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { routes as allRoutes, staticFilesLambda } from '../../../../infra/routes.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { noBrowser, watchedPage } from '../../../support/console/browser.ts';
import { type OwnGateway, ownGateway } from '../../../support/stack/own-gateway.ts';

const routes = allRoutes.filter(({ lambda, method }) => lambda !== staticFilesLambda && method !== 'HEAD');
const app = 'https://app.example.com';
let gateway: OwnGateway;
let token: string;
beforeAll(async () => {
  gateway = await ownGateway();
  token = await gateway.issuer.sign();
});
afterEach(() => {
  vi.stubEnv('CORS_ORIGINS', undefined);
});
afterAll(() => {
  gateway.close();
  vi.unstubAllEnvs();
});

/** Allows origins, as a deployment does. */
const allow = (origins: string) => vi.stubEnv('CORS_ORIGINS', origins);
const from = (origin: string) => [`Origin: ${origin}`, `Authorization: Bearer ${token}`];
const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin');
const preflight = (origin: string, path = '/v1/flows') =>
  gateway.send([`Origin: ${origin}`, 'Access-Control-Request-Method: POST'], { method: 'OPTIONS', path });

test('without configured origins, no response of a Lambda has CORS headers and OPTIONS is no endpoint', async () => {
  expect(await preflight(app)).toMatchObject({ status: 404, body: { error: 'Not found' } });
  const answer = await gateway.send(from(app));
  expect(answer.status).toBe(200);
  expect([...answer.headers.keys()].filter((name) => /^(access-control-|vary)/.test(name))).toEqual([]);
});

test('a page of an allowed origin may read responses and their rate-limit headers', async () => {
  allow(`https://other.example.com ${app}`);
  const answer = await gateway.send(from(app));
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': app,
    vary: 'Origin',
    'access-control-expose-headers': expect.stringContaining('X-RateLimit-Remaining'),
  });
  expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
});

test('a page of another origin may not, and caches must tell origins apart', async () => {
  allow(app);
  for (const origin of ['https://evil.example.com', `${app}.evil.com`, 'http://app.example.com', 'null']) {
    const answer = await gateway.send(from(origin));
    expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([200, null, 'Origin']);
    expect(allowed(await preflight(origin))).toBeNull();
  }
});

test('with *, every page may read responses', async () => {
  allow('*');
  expect(allowed(await gateway.send(from('https://anything.example.com')))).toBe('*');
  expect(allowed(await preflight('https://anything.example.com'))).toBe('*');
});

test('errors of the Lambda are readable too', async () => {
  allow(app);
  const missing = await gateway.send(from(app), { path: `/v1/flows/${newId('flow')}` });
  expect([missing.status, allowed(missing)]).toEqual([404, app]);
  const invalid = await gateway.send(from(app), { method: 'POST', body: '{' });
  expect([invalid.status, allowed(invalid)]).toEqual([400, app]);
});

test('every page may read errors of the gateway itself, which contain nothing of a tenant', async () => {
  for (const origins of ['', app, `${app} https://other.example.com`]) {
    allow(origins);
    for (const path of ['/v1/flows', '/v1/client/nothing']) {
      const refused = await gateway.send([`Origin: https://any.example.com`], { path });
      expect([refused.status, allowed(refused)]).toEqual([path === '/v1/flows' ? 401 : 404, '*']);
    }
  }
});

test('the gateway answers a preflight request of every endpoint’s path without a credential', async () => {
  allow(app);
  for (const { path, method, anyOrigin } of routes) {
    const answer = await preflight(app, path.replace(/\{\w+\+?\}/g, 'x'));
    expect([path, answer.status, allowed(answer)]).toEqual([path, 204, anyOrigin ? '*' : app]);
    expect(answer.headers.get('access-control-allow-methods')).toContain(method);
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization');
  }
  expect((await preflight(app, '/v1/no-such-path')).status).toBe(404);
});

test.skipIf(noBrowser)(
  'a browser lets a page of an allowed origin read the API, and no other page',
  async () => {
    const pages = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<p>page'),
    );
    pages.listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const { port } = pages.address() as AddressInfo;
    try {
      allow(`http://localhost:${port}`);
      const read = async (origin: string) => {
        const { page } = await watchedPage();
        await page.goto(origin);
        return page.evaluate(
          async ([url, authorization]) => {
            const headers = { authorization, 'content-type': 'application/json' };
            const body = JSON.stringify({ name: 'from a page', flowSteps: [] });
            try {
              const answer = await fetch(`${url}/v1/flows`, { method: 'POST', headers, body });
              return [answer.status, answer.headers.get('x-ratelimit-limit')];
            } catch {
              return 'blocked';
            }
          },
          [gateway.url, `Bearer ${token}`] as const,
        );
      };
      expect(await read(`http://localhost:${port}`)).toEqual([201, '10000']);
      expect(await read(`http://127.0.0.1:${port}`)).toBe('blocked');
    } finally {
      pages.close();
    }
  },
);
