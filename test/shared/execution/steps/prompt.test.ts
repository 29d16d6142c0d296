import { beforeEach, expect, test, vi } from 'vitest';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { modelServer } from '../../../support/models/model-server.ts';
import { configProblems, runStep } from './run-step.ts';

const model = 'generic-openai/stand-in';
const variables = {
  city: 'Oslo',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  ],
};

async function serving(options: Parameters<typeof modelServer>[0]) {
  const server = await modelServer(options);
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  return server;
}

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('sends the complete config and returns the usage', async () => {
  const server = await serving({ answer: () => 'Cold.' });
  const config = {
    model,
    systemPrompt: 'You know {{ city }}.',
    userPrompt: 'How is {{ city }}?',
    previousMessages: '{{messages}}',
    temperature: 0.5,
    maxTokens: 20,
    topP: 0.9,
    frequencyPenalty: 0.1,
    presencePenalty: -0.1,
    seed: 7,
    outputVariable: 'weather',
  };
  expect(await runStep('prompt', config, { variables })).toEqual({
    output: 'Cold.',
    resolvedPrompt: 'How is Oslo?',
    modelUsed: model,
    promptTokens: expect.any(Number),
    completionTokens: 2,
    estimatedCost: null,
  });
  expect(server.requests).toMatchObject([
    {
      model: 'stand-in',
      messages: [
        { role: 'system', content: 'You know Oslo.\n\nBe brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'How is Oslo?' },
      ],
      temperature: 0.5,
      max_tokens: 20,
      top_p: 0.9,
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      seed: 7,
    },
  ]);
});

test.each(['{"a": 1}', '```json\n{"a": 1}\n```', ' ```\n{"a": 1}```\n'])(
  'the JSON answer %j is parsed',
  async (answer) => {
    const server = await serving({ answer: () => answer });
    const { output } = await runStep('prompt', { model, text: 'Give a', responseFormat: 'JSON' });
    expect(output).toEqual({ a: 1 });
    expect(server.requests[0]).toMatchObject({ response_format: { type: 'json_object' } });
  },
);

test('a response that is not JSON fails the step, which is retryable', async () => {
  await serving({ answer: () => 'I would rather not' });
  const failure = await stepFailure(runStep('prompt', { model, text: 'Give a', responseFormat: 'json' }));
  expect(failure).toMatchObject({
    message: 'The model did not return JSON: I would rather not',
    retryable: true,
  });
});

test('HTML is returned without its code fence', async () => {
  await serving({ answer: () => '```html\n<p>Hi</p>\n```' });
  expect(await runStep('prompt', { model, text: 'Hi', responseFormat: 'html' })).toMatchObject({
    output: '<p>Hi</p>',
  });
});

test('temporary errors of the provider are retried twice', async () => {
  const server = await serving({ failurePercent: 50, failureStatus: 429 });
  await runStep('prompt', { model, text: 'first' });
  expect(await runStep('prompt', { model, text: 'second' })).toMatchObject({ modelUsed: model });
  expect(server.requests).toHaveLength(3);
});

test.each([
  [
    { failurePercent: 100, failureStatus: 503, failureMessage: 'Overloaded' },
    3,
    true,
    `${model} answered 503: Overloaded`,
  ],
  [
    { failurePercent: 100, failureStatus: 400, failureMessage: 'Too long' },
    1,
    false,
    `${model} answered 400: Too long`,
  ],
  [
    { misbehave: 'nonsense' as const },
    1,
    true,
    expect.stringContaining(`${model} returned an unusable response: it is no JSON`),
  ],
])('a provider with %j is called %i times and the step fails', async (options, calls, retryable, message) => {
  const server = await serving(options);
  expect(await stepFailure(runStep('prompt', { model, text: 'Hi' }))).toMatchObject({ message, retryable });
  expect(server.requests).toHaveLength(calls);
});

test('a model that times out fails the step, which is retryable', async () => {
  await serving({ misbehave: 'hang' });
  const failure = await stepFailure(runStep('prompt', { model, text: 'Hi', timeoutMs: 1_000 }));
  expect(failure).toMatchObject({ message: `${model} did not answer in time`, retryable: true });
});

test('the run’s signal ends the call', async () => {
  await serving({ misbehave: 'hang' });
  const signal = AbortSignal.abort(new Error('enough'));
  expect((await stepFailure(runStep('prompt', { model, text: 'Hi' }, { signal }))).message).toContain(
    'was aborted',
  );
});

test('earlier messages must be messages', async () => {
  await serving({});
  const failure = stepFailure(
    runStep('prompt', { model, text: 'Hi', previousMessages: '{{ city }}' }, { variables }),
  );
  expect((await failure).message).toContain('a list of messages');
  expect(await runStep('prompt', { model, text: 'Hi', previousMessages: '{{ none }}' })).toHaveProperty(
    'output',
  );
});

test.each([
  [{ model }, 'userPrompt: Required: expected a prompt in userPrompt or text'],
  [{ model, text: 'a', userPrompt: 'b' }, expect.stringContaining('userPrompt: ')],
  [{ text: 'a' }, 'model: Invalid input: expected string, received undefined'],
  [{ model, text: '{{ a' }, 'text: output "{{ a" not closed, line:1, col:1'],
  [
    { model, text: 'a', responseFormat: 'yaml' },
    'responseFormat: Expected text, json, markdown, html, xml, or {type: "json", schema}',
  ],
  [{ model, text: 'a', temperature: 3 }, expect.stringContaining('temperature: Too big')],
  [{ model, text: 'a', timeoutMs: 10 }, expect.stringContaining('timeoutMs: Too small')],
  [{ model, text: 'a', tool: {} }, ': Unrecognized key: "tool"'],
  [
    { model, text: 'a', tools: { toolIds: ['x'] } },
    expect.stringContaining('tools.toolIds.0: Expected the id of a tool'),
  ],
  [
    {
      model,
      text: 'a',
      errorHandling: { onError: 'fallback', fallbacks: [{ type: 'retry', delay: 60_001 }] },
    },
    expect.stringContaining('errorHandling.fallbacks.0.delay: Too big'),
  ],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('prompt', config)).toEqual([problem]);
});
