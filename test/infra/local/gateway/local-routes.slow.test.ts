import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveGateway } from '../../../../infra/local/gateway/serve.ts';
import { httpServer, listen } from '../../../../infra/local/runtime/server.ts';
import type { StackFacts } from '../../../../infra/local/stack.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { killAll, launch, launchMain, readStackFacts } from '../../../support/stack/processes.ts';

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

afterEach(killAll);

interface Asked {
  /** Where to connect to. */
  host: string;
  /** Where from, as the socket says. */
  from?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** `POST /local/sessions`, or a GET of another path. */
async function ask({ url }: StackFacts, { host, from, path = '/local/sessions', headers = {} }: Asked) {
  const { port } = new URL(url);
  const method = path === '/local/sessions' ? 'POST' : 'GET';
  const asked = request({ host, port, path, method, headers, ...(from && { localAddress: from }) });
  asked.end(method === 'POST' ? '{"userId":"ada"}' : undefined);
  const [answer] = await once(asked, 'response');
  return { status: answer.statusCode as number, body: JSON.parse(await text(answer)) };
}

async function startOn(HOST: string, environment: Record<string, string> = {}) {
  const child = launchMain({ HOST, LOG_LEVEL: 'warn', ...environment }, ['--ephemeral']);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return { facts: await readStackFacts(child), said: () => said };
}

describe.skipIf(!outside)('on a machine reachable from the network', () => {
  const host = outside ?? '';

  test('only this machine can access sessions and the outbox, regardless of the Host header', async () => {
    const { facts, said } = await startOn('0.0.0.0');
    expect((await ask(facts, { host: '127.0.0.1' })).status).toBe(200);
    for (const path of ['/local/sessions', '/local/outbox', '/local/oidc/jwks']) {
      for (const headers of [{}, { host: 'localhost' }, { host: '127.0.0.1' }]) {
        const refused = await ask(facts, { host, path, headers });
        expect(refused, path).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
        expect(refused.body.details).toContain('INSECURE_OPEN_LOCAL_ROUTES');
      }
    }
    expect((await ask(facts, { host, path: '/openapi.json' })).status).toBe(200);
    expect(said()).toContain('HOST=0.0.0.0');
    expect(said()).toContain('INSECURE_OPEN_LOCAL_ROUTES');
  });

  test('the socket address decides: an external address of this machine and a forwarding proxy are both refused', async () => {
    const { facts, said } = await startOn('127.0.0.1');
    expect(said()).toBe('');
    expect((await ask(facts, { host: '127.0.0.1', from: host })).status).toBe(403);
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await ask(facts, { host: '127.0.0.1', headers })).status).toBe(403);
  });

  test('INSECURE_OPEN_LOCAL_ROUTES opens the local routes, and the start warns about it', async () => {
    const { facts, said } = await startOn('0.0.0.0', { INSECURE_OPEN_LOCAL_ROUTES: '1' });
    expect((await ask(facts, { host })).status).toBe(200);
    expect((await ask(facts, { host, headers: { host: 'evil.example.com' } })).status).toBe(403);
    expect(said()).toContain('anyone');
  });

  test('with a specific HOST address, sessions are issued only on loopback and work on that address', async () => {
    const { facts } = await startOn(host);
    expect(new URL(facts.url).hostname).toBe(host);
    expect((await ask(facts, { host })).status).toBe(403);
    const { body } = await ask(facts, { host: '127.0.0.1' });
    const path = `/v1/flows/${newId('flow')}`;
    for (const token of [body.token, facts.sessionToken]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await ask(facts, { host, path, headers })).status).toBe(404);
    }
  });

  test('with PORT=0, a port that is taken on one of the two addresses is not chosen', async () => {
    const other = createServer();
    const taken = await listen(other, 0, '127.0.0.1');
    const gateway = httpServer((_request, response) => void response.end());
    const listenOn = gateway.listen.bind(gateway) as (port: number, address: string) => typeof gateway;
    vi.spyOn(gateway, 'listen').mockImplementationOnce((_port, address) => listenOn(taken, String(address)));
    const { url, localUrl, stop } = await serveGateway(gateway, 0, host);
    onTestFinished(async () => {
      other.close();
      await stop();
    });
    expect(new URL(url).port).toBe(new URL(localUrl).port);
    expect(Number(new URL(url).port)).not.toBe(taken);
    for (const base of [url, localUrl]) expect((await fetch(base)).status).toBe(200);
  });
});

test('the start text warns about an open HOST', async () => {
  const child = launch(process.execPath, ['infra/local/main.ts', '--ephemeral'], { HOST: '0.0.0.0' });
  if (!child.stdout) throw new Error('No pipe');
  let welcome = '';
  for await (const chunk of child.stdout) {
    welcome += chunk;
    if (welcome.includes('Ctrl-C')) break;
  }
  expect(welcome).toContain('HOST=0.0.0.0');
});
