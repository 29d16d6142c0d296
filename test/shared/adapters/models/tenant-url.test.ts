import { beforeEach, expect, test, vi } from 'vitest';
import type { ModelCredentials } from '../../../../shared/adapters/models/providers/credentials.ts';
import {
  type ProviderName,
  providerNames,
} from '../../../../shared/adapters/models/providers/provider-names.ts';
import { collect } from '../../../../shared/adapters/ports/model-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { singleModelPorts } from '../../../support/models/model-ports.ts';
import { modelServer } from '../../../support/models/model-server.ts';
import { loopback } from '../../../support/servers/loopback.ts';

const signal = new AbortController().signal;
const tenantsPorts = (provider: ProviderName, credentials: ModelCredentials) =>
  singleModelPorts({ provider, credentials, keySource: 'custom' });

/** Calls a model at a URL that a tenant named. */
const ask = (provider: ProviderName, baseUrl: string, streamed = false) =>
  collect(
    tenantsPorts(provider, { apiKey: 'tenants-key', baseUrl, guarded: true }).model.stream({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      streamed,
      signal,
    }),
  );

beforeEach(() => {
  vi.unstubAllEnvs();
});

test.each(providerNames)(
  '%s: a private address is refused, by number and by name, and not retried',
  async (provider) => {
    const asked: string[] = [];
    const server = await loopback((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    for (const host of [
      `127.0.0.1:${server.port}`,
      `localhost:${server.port}`,
      '[::1]:80',
      '169.254.169.254',
    ]) {
      for (const streamed of [true, false]) {
        const { hostname } = new URL(`http://${host}`);
        expect(await stepFailure(ask(provider, `http://${host}`, streamed))).toMatchObject({
          message: `${provider}/m cannot be reached: ${hostname} is not a public address and may not be reached`,
          retryable: false,
        });
      }
    }
    expect(asked).toEqual([]);
  },
);

test('the same holds for embeddings', async () => {
  const { embed } = tenantsPorts('openai', { apiKey: 'k', baseUrl: 'http://10.0.0.1', guarded: true });
  expect(await stepFailure(embed({ model: 'm', texts: ['x'], signal }))).toMatchObject({
    message: 'openai/m cannot be reached: 10.0.0.1 is not a public address and may not be reached',
    retryable: false,
  });
});

test.each([
  ['file:///etc/passwd', 'Only http and https URLs are allowed'],
  ['http://user:secret@example.com', 'A URL must not contain a user name or password'],
])('%s is refused', async (url, words) => {
  const failure = await stepFailure(ask('generic-openai', url));
  expect(failure).toMatchObject({ message: expect.stringContaining(words), retryable: false });
});

test('a private host that the deployment allows is reached, and streams', async () => {
  const server = await modelServer({ answer: () => 'one two three' });
  vi.stubEnv('ALLOWED_HOSTS', new URL(server.url).host);
  for (const streamed of [true, false]) {
    expect(await ask('openai', server.url, streamed)).toMatchObject({
      text: 'one two three',
      keySource: 'custom',
    });
  }
});

test('a redirect to a private address is not followed', async () => {
  const target = await modelServer();
  const server = await loopback((_request, response) => {
    response.writeHead(307, { location: `${target.url}/chat/completions` }).end();
  });
  vi.stubEnv('ALLOWED_HOSTS', server.host);
  expect((await stepFailure(ask('openai', server.url))).message).toContain('openai/m');
  expect(target.requests).toHaveLength(0);
});

test.each(providerNames)(
  '%s: a server that a tenant names never receives a key of the deployment',
  async (provider) => {
    for (const name of [
      'OPENAI',
      'ANTHROPIC',
      'GOOGLE_GENERATIVE_AI',
      'XAI',
      'GROQ',
      'TOGETHER',
      'TOGETHER_AI',
      'MISTRAL',
    ]) {
      vi.stubEnv(`${name}_API_KEY`, 'deployments-key');
    }
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'deployments-key');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'deployments-key');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'deployments-key');
    const headers: unknown[] = [];
    const server = await loopback((request, response) => {
      headers.push(request.headers);
      response.writeHead(400).end();
    });
    vi.stubEnv('ALLOWED_HOSTS', server.host);
    for (const apiKey of [undefined, '', '  ']) {
      const { model } = tenantsPorts(provider, { apiKey, baseUrl: server.url, guarded: true });
      const messages = [{ role: 'user' as const, content: 'Hello' }];
      await stepFailure(collect(model.stream({ model: 'm', messages, streamed: false, signal })));
    }
    expect(headers).toHaveLength(provider === 'bedrock' ? 0 : 3);
    expect(JSON.stringify(headers)).not.toContain('deployments-key');
  },
);
