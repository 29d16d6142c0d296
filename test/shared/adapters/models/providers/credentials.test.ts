import { beforeEach, expect, test, vi } from 'vitest';
import {
  deploymentCredentials,
  deploymentUrl,
  nameRequiredSetting,
} from '../../../../../shared/adapters/models/providers/credentials.ts';
import { providerNames } from '../../../../../shared/adapters/models/providers/provider-names.ts';
import { collect } from '../../../../../shared/adapters/ports/model-port.ts';
import { stepFailure } from '../../../../support/flows/failure-of.ts';
import { singleModelPorts } from '../../../../support/models/model-ports.ts';
import { loopback } from '../../../../support/servers/loopback.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
});

test.each(providerNames)('%s is configured by its variable, and by nothing else', (provider) => {
  expect(deploymentCredentials(provider, {})).toBeUndefined();
  const [variable = ''] = nameRequiredSetting(provider).split(' ');
  expect(deploymentCredentials(provider, { [variable]: '' })).toBeUndefined();
  expect(JSON.stringify(deploymentCredentials(provider, { [variable]: 'the-value' }))).toContain('the-value');
  const others = providerNames.filter((other) => other !== provider);
  for (const other of others) {
    expect(deploymentCredentials(other, { [variable]: 'the-value' }), other).toBeUndefined();
  }
});

test('the address of a provider does not configure it, and also serves tenants’ keys', () => {
  const keys = { OPENAI_BASE_URL: 'https://gateway.example.com' };
  expect(deploymentCredentials('openai', keys)).toBeUndefined();
  expect(deploymentUrl('openai', keys)).toBe('https://gateway.example.com');
});

test('Bedrock is configured by a key, or by a region for the own role', () => {
  expect(deploymentCredentials('bedrock', { BEDROCK_REGION: 'eu-central-1' })).toEqual({
    region: 'eu-central-1',
    ownRole: true,
  });
  const keys = { BEDROCK_REGION: 'eu-central-1', AWS_BEARER_TOKEN_BEDROCK: 'k' };
  expect(deploymentCredentials('bedrock', keys)).toEqual({ region: 'eu-central-1', apiKey: 'k' });
});

test('Bedrock signs with the credentials of the Lambda’s role, for its region', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAROLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret-of-the-role');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session-of-the-role');
  vi.stubEnv('AWS_REGION', 'us-west-2');
  const asked: { url?: string | undefined; headers: Record<string, unknown> }[] = [];
  const server = await loopback((request, response) => {
    asked.push({ url: request.url, headers: request.headers });
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"not authorized"}');
  });
  const keys = { BEDROCK_REGION: 'eu-central-1', AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url };
  const credentials = deploymentCredentials('bedrock', keys) ?? {};
  const modelId = 'amazon.nova-lite-v1:0';
  const { model } = singleModelPorts({ provider: 'bedrock', modelId, credentials, keySource: 'platform' });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const signal = new AbortController().signal;
  const failure = await stepFailure(collect(model.stream({ model: 'm', messages, streamed: false, signal })));
  expect(failure.message).toBe('bedrock/amazon.nova-lite-v1:0 answered 403: not authorized');
  expect(asked).toMatchObject([
    {
      url: '/model/amazon.nova-lite-v1%3A0/converse',
      headers: {
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=ASIAROLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
        ),
        'x-amz-security-token': 'session-of-the-role',
      },
    },
  ]);
});
