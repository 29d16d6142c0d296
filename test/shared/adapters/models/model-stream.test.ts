import { beforeEach, expect, test, vi } from 'vitest';
import { lastText } from '../../../../examples/model-stand-in.ts';
import { collect, type ModelEvent, type ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { liveModels } from '../../../support/models/model-ports.ts';
import { modelServer } from '../../../support/models/model-server.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { eventually } from '../../../support/stack/eventually.ts';

const stream = (more: Partial<ModelRequest> = {}) =>
  liveModels.model.stream({
    model: 'openai/gpt-4o',
    messages: [{ role: 'user', content: 'Hello there' }],
    streamed: false,
    signal: new AbortController().signal,
    ...more,
  });
const ask = (more: Partial<ModelRequest> = {}) => collect(stream(more));

async function openai(options: Parameters<typeof modelServer>[0] = {}) {
  const server = await modelServer(options);
  vi.stubEnv('OPENAI_API_KEY', 'sk-very-secret');
  vi.stubEnv('OPENAI_BASE_URL', server.url);
  return server;
}

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('counts the tokens, and computes the exact cost from the catalog', async () => {
  await openai({ answer: () => 'x'.repeat(40) });
  expect(await ask()).toMatchObject({
    text: 'x'.repeat(40),
    modelUsed: 'openai/gpt-4o',
    stopReason: 'stop',
    usage: { inputTokens: 3, outputTokens: 10 },
    cost: '0.0001075',
  });
});

test('without a token count from the provider, the cost is unknown', async () => {
  await openai({ misbehave: 'no-usage' });
  expect(await ask()).toMatchObject({ usage: null, cost: null });
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
])('an impossible usage counts as none: %s', async (_what, usage) => {
  await openai({ usage, answer: () => 'paid for' });
  const none = { text: 'paid for', usage: null, cost: null };
  expect(await ask()).toMatchObject(none);
  expect(await ask({ streamed: true })).toMatchObject(none);
});

test('requests JSON from providers that support it', async () => {
  const server = await openai();
  await ask({ format: { type: 'json' }, messages: [{ role: 'user', content: 'Answer as JSON' }] });
  expect(server.requests[0]).toMatchObject({ response_format: { type: 'json_object' } });
});

test('uses Anthropic’s own API', async () => {
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
  const messages = [
    { role: 'system' as const, content: 'Be kind' },
    { role: 'user' as const, content: 'Hello' },
  ];
  expect(await ask({ model: 'claude-sonnet-4-5', messages, settings: { topK: 3 } })).toMatchObject({
    text: 'from Claude',
    modelUsed: 'anthropic/claude-sonnet-4-5',
    usage: { inputTokens: 8, outputTokens: 2 },
    cost: '0.000054',
  });
});

test('an error never contains the key', async () => {
  await openai({ failurePercent: 100, failureStatus: 401, failureMessage: 'Wrong key sk-very-secret' });
  expect(await stepFailure(ask())).toMatchObject({
    message: 'openai/gpt-4o answered 401: Wrong key ***',
    retryable: false,
  });
});

test('429 and 5xx are retried twice, then the step is retryable', async () => {
  for (const failureStatus of [429, 500, 503]) {
    const server = await openai({ failurePercent: 100, failureStatus });
    expect(await stepFailure(ask())).toMatchObject({
      retryable: true,
      message: expect.stringContaining(`${failureStatus}`),
    });
    expect(server.requests).toHaveLength(3);
  }
});

test('a retry waits as long as the provider requests', async () => {
  const times: number[] = [];
  const server = await loopback((_request, response) => {
    times.push(performance.now());
    response.writeHead(times.length > 1 ? 400 : 429, { 'retry-after': '3' }).end();
  });
  vi.stubEnv('OPENAI_API_KEY', 'k');
  vi.stubEnv('OPENAI_BASE_URL', server.url);
  expect(await stepFailure(ask())).toMatchObject({ message: expect.stringContaining('400') });
  const [first = 0, second = 0, ...more] = times;
  expect(more).toEqual([]);
  // Without the header it would be two seconds.
  expect(second - first).toBeGreaterThan(2_900);
});

test('redirects are not followed: the request has a key', async () => {
  const asked: string[] = [];
  const server = await loopback((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(308, { location: '/elsewhere' }).end();
  });
  vi.stubEnv('OPENAI_API_KEY', 'k');
  vi.stubEnv('OPENAI_BASE_URL', server.url);
  await stepFailure(ask());
  expect(asked).toEqual(['/chat/completions']);
});

test('a time limit aborts the call, which is retryable', async () => {
  await openai({ misbehave: 'hang' });
  expect(await stepFailure(ask({ signal: AbortSignal.timeout(100) }))).toMatchObject({
    message: 'openai/gpt-4o did not answer in time',
    retryable: true,
  });
});

test('an invalid URL is reported as such', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'k');
  vi.stubEnv('OPENAI_BASE_URL', 'nonsense');
  expect((await stepFailure(ask())).message).toContain('openai/gpt-4o');
});

test('concurrent calls get their own responses', async () => {
  await openai({ answer: lastText, delayMs: 5 });
  const texts = Array.from({ length: 20 }, (_, index) => `question ${index}`);
  const answers = await Promise.all(texts.map((content) => ask({ messages: [{ role: 'user', content }] })));
  expect(answers.map(({ text }) => text)).toEqual(texts);
});

test('reads a response only as fast as the caller', async () => {
  const server = await openai({ answer: () => 'one two three' });
  const events: ModelEvent[] = [];
  for await (const event of stream({ streamed: true })) {
    events.push(event);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(events).toMatchObject([
    { type: 'start', modelUsed: expect.any(String), keySource: 'platform' },
    { type: 'text-delta', text: 'one ' },
    { type: 'text-delta', text: 'two ' },
    { type: 'text-delta', text: 'three' },
    { type: 'finish', text: 'one two three', usage: { outputTokens: 4 } },
  ]);
  expect(server.gone()).toBe(0);
});

test('leaving the loop ends the call', async () => {
  const server = await openai({ answer: () => 'word '.repeat(1_000), pieceDelayMs: 5 });
  for await (const event of stream({ streamed: true })) {
    if (event.type === 'start') continue;
    expect(event).toMatchObject({ type: 'text-delta', text: 'word ' });
    break;
  }
  await eventually(() => expect(server.gone()).toBe(1));
});

test('an interrupted stream fails and is retryable', async () => {
  const cut = await loopback((_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Half a"}}]}\n\n');
    setTimeout(() => response.destroy(), 20);
  });
  vi.stubEnv('OPENAI_API_KEY', 'k');
  vi.stubEnv('OPENAI_BASE_URL', cut.url);
  const failure = await stepFailure(ask({ streamed: true }));
  expect(failure).toMatchObject({ retryable: true, message: expect.stringContaining('openai/gpt-4o') });
});

const weather = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** A server that answers with what is given and keeps what it was asked. */
async function answering(message: object, chunks: object[]) {
  const asked: Record<string, unknown>[] = [];
  const server = await loopback(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()) as { stream?: boolean };
    asked.push(body);
    const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
    if (!body.stream) {
      const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' }];
      return response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ id: 'x', created: 1, model: 'm', choices, usage }));
    }
    response.setHeader('content-type', 'text/event-stream');
    for (const delta of chunks) {
      response.write(
        `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta }] })}\n\n`,
      );
    }
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage };
    return response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
  });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  return asked;
}

test.each([true, false])(
  'a model requests tools, streamed %s, and receives their results',
  async (streamed) => {
    const call = (text: string) => ({
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: text },
    });
    const asked = await answering({ content: null, tool_calls: [call('{"city":"Oslo"}')] }, [
      { tool_calls: [{ index: 0, ...call('{"city"') }] },
      { tool_calls: [{ index: 0, function: { arguments: ':"Oslo"}' } }] },
    ]);
    const model = 'generic-openai/any';
    const events = await Array.fromAsync(
      stream({ model, tools: [weather], toolChoice: { tool: 'weather' }, streamed }),
    );
    const complete = { type: 'tool-call', id: 'call_1', name: 'weather', input: { city: 'Oslo' } };
    expect(events.filter(({ type }) => type !== 'tool-call-delta')).toMatchObject([
      ...(streamed ? [{ type: 'start' }] : []),
      complete,
      { type: 'finish', stopReason: 'tool-calls', text: '', usage: { inputTokens: 5, outputTokens: 7 } },
    ]);
    const deltas = events.flatMap((event) => (event.type === 'tool-call-delta' ? [event] : []));
    expect(deltas.map(({ text }) => text).join('')).toBe(streamed ? '{"city":"Oslo"}' : '');
    expect(asked[0]).toMatchObject({
      tools: [{ type: 'function', function: weather }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    });

    const part = { id: 'call_1', name: 'weather' };
    await ask({
      model,
      messages: [
        { role: 'user', content: 'How is the weather?' },
        { role: 'assistant', content: [{ type: 'tool-call', ...part, input: { city: 'Oslo' } }] },
        { role: 'tool', content: [{ type: 'tool-result', ...part, output: { degrees: 3 } }] },
      ],
    });
    expect(asked[1]?.messages).toMatchObject([
      { role: 'user', content: 'How is the weather?' },
      { role: 'assistant', tool_calls: [call('{"city":"Oslo"}')] },
      { role: 'tool', tool_call_id: 'call_1', content: '{"degrees":3}' },
    ]);
  },
);

test('tool input that is not JSON is returned as written', async () => {
  const broken = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":' } };
  await answering({ content: '', tool_calls: [broken] }, []);
  const { toolCalls } = await ask({ model: 'generic-openai/any', tools: [weather] });
  expect(toolCalls).toEqual([
    { type: 'tool-call', id: 'c', name: 'weather', input: undefined, text: '{"city":' },
  ]);
});

test('files and a schema are sent in the provider’s own format', async () => {
  const asked = await answering({ content: '{"n":1}' }, []);
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  await ask({
    model: 'generic-openai/any',
    format: { type: 'json', schema },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', data: png, mediaType: 'image/png' },
        ],
      },
    ],
  });
  const url = `data:image/png;base64,${png.toString('base64')}`;
  expect(asked[0]).toMatchObject({
    messages: [{ content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] }],
    response_format: { type: expect.stringContaining('json') },
  });
});
