import { beforeEach, expect, test, vi } from 'vitest';
import { callModel } from '../../../../shared/adapters/models/call-model.ts';
import type { ModelRequest } from '../../../../shared/adapters/ports.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { loopback } from '../../../support/loopback.ts';
import { modelServer } from '../../../support/model-server.ts';

const ask = (more: Partial<ModelRequest> = {}) =>
  callModel({
    model: 'openai/gpt-4o',
    messages: [{ role: 'user', content: 'Hello there' }],
    format: 'text',
    signal: new AbortController().signal,
    ...more,
  });

async function openai(options: Parameters<typeof modelServer>[0] = {}) {
  const server = await modelServer(options);
  vi.stubEnv('OPENAI_API_KEY', 'sk-very-secret');
  vi.stubEnv('OPENAI_BASE_URL', server.url);
  return server;
}

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('counts the tokens and costs what the catalog says, exactly', async () => {
  await openai({ answer: () => 'x'.repeat(40) });
  expect(await ask()).toEqual({
    text: 'x'.repeat(40),
    modelUsed: 'openai/gpt-4o',
    promptTokens: 3,
    completionTokens: 10,
    estimatedCost: '0.0001075',
  });
});

test('a provider that does not count tokens costs nobody knows what', async () => {
  await openai({ misbehave: 'no-usage' });
  expect(await ask()).toMatchObject({ promptTokens: 0, completionTokens: 0, estimatedCost: null });
});

test.each([
  ['a fraction', { prompt_tokens: 1.5, completion_tokens: 1 }],
  ['less than nothing', { prompt_tokens: 5, completion_tokens: -1 }],
  ['beyond 2^53', { prompt_tokens: 2 ** 60, completion_tokens: 1 }],
  ['so much that sums of it would not be exact', { prompt_tokens: 2 ** 52, completion_tokens: 1 }],
  [
    'more from a cache than at all',
    { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 11 } },
  ],
])('a usage that cannot be counts as none: %s', async (_what, usage) => {
  await openai({ usage, answer: () => 'paid for' });
  const none = { text: 'paid for', promptTokens: 0, completionTokens: 0, estimatedCost: null };
  expect(await ask()).toMatchObject(none);
  expect(await ask({ onText: () => {} })).toMatchObject(none);
});

test('asks for JSON where the provider can promise it', async () => {
  const server = await openai();
  await ask({ format: 'json', messages: [{ role: 'user', content: 'Answer as JSON' }] });
  expect(server.requests[0]).toMatchObject({ response_format: { type: 'json_object' } });
});

test('speaks Anthropic’s own language', async () => {
  const anthropic = await loopback((_request, response) => {
    const usage = { input_tokens: 8, output_tokens: 2 };
    const content = [{ type: 'text', text: 'from Claude' }];
    const body = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'end_turn',
      usage,
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  vi.stubEnv('ANTHROPIC_API_KEY', 'k');
  vi.stubEnv('ANTHROPIC_BASE_URL', `${anthropic.url}/v1`);
  expect(await ask({ model: 'claude-sonnet-4-5', system: 'Be kind', topK: 3 })).toEqual({
    text: 'from Claude',
    modelUsed: 'anthropic/claude-sonnet-4-5',
    promptTokens: 8,
    completionTokens: 2,
    estimatedCost: '0.000054',
  });
});

test('a key never gets into a message', async () => {
  await openai({ failurePercent: 100, failureStatus: 401, failureMessage: 'Wrong key sk-very-secret' });
  expect(await failureOf(ask())).toMatchObject({
    message: 'openai/gpt-4o answered 401: Wrong key ***',
    retryable: false,
  });
});

test('429 and 5xx are asked again twice, then the step may be tried again', async () => {
  for (const failureStatus of [429, 500, 503]) {
    const server = await openai({ failurePercent: 100, failureStatus });
    expect(await failureOf(ask())).toMatchObject({
      retryable: true,
      message: expect.stringContaining(`${failureStatus}`),
    });
    expect(server.requests).toHaveLength(3);
  }
});

test('a time limit ends the call, and it may be tried again', async () => {
  await openai({ misbehave: 'hang' });
  expect(await failureOf(ask({ signal: AbortSignal.timeout(100) }))).toMatchObject({
    message: 'openai/gpt-4o did not answer in time',
    retryable: true,
  });
});

test('an address that is none is told as such', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'k');
  vi.stubEnv('OPENAI_BASE_URL', 'nonsense');
  expect((await failureOf(ask())).message).toContain('openai/gpt-4o');
});

test('calls at once are answered each with its own', async () => {
  await openai({ answer: ({ messages }) => messages[0]?.content ?? '', delayMs: 5 });
  const texts = Array.from({ length: 20 }, (_, index) => `question ${index}`);
  const answers = await Promise.all(texts.map((content) => ask({ messages: [{ role: 'user', content }] })));
  expect(answers.map(({ text }) => text)).toEqual(texts);
});

test('no more of an answer is read than whoever is told of it takes', async () => {
  await openai({ answer: () => 'one two three' });
  const told: string[] = [];
  const taken = Promise.withResolvers<void>();
  const answer = ask({
    onText: (piece) => {
      told.push(piece);
      return taken.promise;
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(told).toEqual(['one ']);
  taken.resolve();
  expect((await answer).text).toBe('one two three');
  expect(told).toEqual(['one ', 'two ', 'three']);
});
