import { beforeEach, expect, test } from 'vitest';
import { modelPorts } from '../../../../shared/adapters/models/model-ports.ts';
import { collect } from '../../../../shared/adapters/ports/model-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { deploymentKeys, modelWorld } from '../../../support/models/model-world.ts';
import { jsonWebAnswer, web } from '../../../support/servers/web.ts';

beforeEach(() => deploymentKeys());

const apiKey = 'sk-the-own-key-of-a-tenant';
const messages = [{ role: 'user', content: 'Hi' }] as const;

/** A call with the tenant's models. */
const ask = ({ resolve }: ReturnType<typeof modelWorld>, model: string) =>
  collect(
    modelPorts(resolve).model.stream({
      model,
      messages,
      streamed: false,
      signal: AbortSignal.timeout(10_000),
    }),
  );

const completion = jsonWebAnswer({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 },
});

test('the tenant’s own server gets the tenant’s key, and the call costs what the config says', async () => {
  const { url, asked } = await web(() => completion);
  const world = modelWorld();
  await world.key({ provider: 'generic-openai', apiKey, settings: { baseURL: url } });
  const customModel = {
    displayName: 'Ours',
    inputCostPer1kTokens: 0.1,
    outputCostPer1kTokens: 0.2,
    maxOutputTokens: 100,
    supportedResponseFormats: ['text'],
    supportsStreaming: true,
  };
  const settings = { temperature: 0.7, maxTokens: 30, customModel };
  const { id } = await world.config({ provider: 'generic-openai', modelId: 'ours', settings });
  expect(await ask(world, id)).toMatchObject({
    text: 'Hello',
    modelUsed: 'generic-openai/ours',
    keySource: 'custom',
    configId: id,
    cost: '0.102',
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ model: 'ours', temperature: 0.7, max_tokens: 30 });
});

test.each<[{ customModel?: object; maxTokens?: number }, number | undefined]>([
  [{ customModel: {} }, 4_096],
  [{ customModel: { maxOutputTokens: 100 } }, 100],
  [{ customModel: { maxOutputTokens: 100 }, maxTokens: 500 }, 100],
  [{ customModel: { maxOutputTokens: 100 }, maxTokens: 30 }, 30],
  [{ maxTokens: 30 }, 30],
  [{}, undefined],
])(
  'with the settings %j a request limits its response to what forecasts count with, %s tokens',
  async (given, sent) => {
    const { url, asked } = await web(() => completion);
    const world = modelWorld();
    await world.key({ provider: 'generic-openai', apiKey, settings: { baseURL: url } });
    const defaults = {
      displayName: 'Ours',
      inputCostPer1kTokens: 0.1,
      outputCostPer1kTokens: 0.2,
      maxOutputTokens: 4_096,
      supportedResponseFormats: ['text'],
      supportsStreaming: true,
    };
    const settings = {
      ...given,
      ...(given.customModel && { customModel: { ...defaults, ...given.customModel } }),
    };
    const { id } = await world.config({
      provider: 'generic-openai',
      modelId: 'ours',
      settings: settings as never,
    });
    await ask(world, id);
    expect(JSON.parse(asked[0]?.body ?? '').max_tokens).toBe(sent);
  },
);

test('a rejected key of the tenant fails the call without showing the key, and the deployment’s is not tried', async () => {
  const theirs = await web(() => completion);
  const own = await web(({ headers }) => ({
    ...jsonWebAnswer({ error: { message: `Bad ${headers.authorization}` } }),
    status: 401,
  }));
  deploymentKeys({ GENERIC_OPENAI_BASE_URL: theirs.url, GENERIC_OPENAI_API_KEY: 'the-deployment-key' });
  const world = modelWorld();
  await world.key({ provider: 'generic-openai', apiKey, settings: { baseURL: own.url } });
  const { message } = await stepFailure(ask(world, 'generic-openai/any'));
  expect(message).toMatch(/401/);
  expect(message).not.toContain(apiKey);
  expect([own.asked.length, theirs.asked.length]).toEqual([1, 0]);
});

test.each(['https://10.0.0.1/v1', 'https://localhost/v1', 'https://[::1]/v1'])(
  'a server of a tenant at %s is not reached',
  async (baseURL) => {
    const world = modelWorld();
    await world.key({ provider: 'generic-openai', apiKey, settings: { baseURL } });
    const error = await stepFailure(ask(world, 'generic-openai/any'));
    expect(error.message).toContain('is not a public address');
    expect(error.retryable).toBe(false);
  },
);
