import { text } from 'node:stream/consumers';
import { beforeEach, expect, test, vi } from 'vitest';
import { providerKeys } from '../../../../../shared/adapters/models/providers/provider-keys.ts';
import { loopback } from '../../../../support/servers/loopback.ts';

/** One clock for all tests, since the module keeps what it has read. */
let passedMs = 0;
const now = performance.now.bind(performance);
beforeEach(() => {
  vi.unstubAllEnvs();
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
});
const pass = (minutes: number) => {
  passedMs += minutes * 60_000;
};

test('reads the keys from the environment, or once from the secret that it names', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'from-env');
  expect(await providerKeys()).toMatchObject({ OPENAI_API_KEY: 'from-env' });

  const asked: unknown[] = [];
  const secretsManager = await loopback(async (request, response) => {
    asked.push(JSON.parse(await text(request)));
    const SecretString = JSON.stringify({ OPENAI_API_KEY: 'from-secret', OTHER: 1 });
    response.setHeader('content-type', 'application/x-amz-json-1.1').end(JSON.stringify({ SecretString }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secretsManager.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('PROVIDER_KEYS_SECRET', 'service/provider-keys');
  pass(16);
  const keys = await Promise.all([providerKeys(), providerKeys()]);
  expect(keys.map(({ OPENAI_API_KEY }) => OPENAI_API_KEY)).toEqual(['from-secret', 'from-secret']);
  expect(asked).toEqual([{ SecretId: 'service/provider-keys' }]);
});

test('reads the secret again after a quarter of an hour, and keeps what it has while it cannot', async () => {
  let value: string | undefined = 'first';
  const secretsManager = await loopback((_request, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    if (value === undefined) response.writeHead(400).end('{"__type": "AccessDeniedException"}');
    else response.end(JSON.stringify({ SecretString: JSON.stringify({ OPENAI_API_KEY: value }) }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secretsManager.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('PROVIDER_KEYS_SECRET', 'service/provider-keys');
  const keyAfter = async (minutes: number) => {
    pass(minutes);
    return (await providerKeys()).OPENAI_API_KEY;
  };
  expect(await keyAfter(16)).toBe('first');
  value = 'second';
  expect(await keyAfter(14)).toBe('first');
  expect(await keyAfter(2)).toBe('second');
  value = undefined;
  expect(await keyAfter(16)).toBe('second');
  value = 'third';
  expect(await keyAfter(16)).toBe('third');
});
