import { expect, test } from 'vitest';
import { collect, type ModelEvent } from '../../../../shared/adapters/ports/model-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { singleModelPorts } from '../../../support/models/model-ports.ts';
import { loopback } from '../../../support/servers/loopback.ts';

type Json = Record<string, unknown>;

/** A model behind a server that answers with this text, whatever it is asked. */
async function modelThat(
  provider: 'generic-openai' | 'openai' | 'groq' | 'mistral' | 'anthropic',
  text: string,
  type = 'application/json',
) {
  let asked = 0;
  const server = await loopback((request, response) => {
    asked++;
    request.resume().on('end', () => response.setHeader('content-type', type).end(text));
  });
  const { model } = singleModelPorts({
    provider,
    modelId: 'm',
    credentials: { apiKey: 'key-of-the-test', baseUrl: server.url },
    keySource: 'platform',
    price: { input: '1000000', output: '1000000' },
  } as never);
  const events: ModelEvent[] = [];
  async function* seen(streamed: boolean) {
    const request = { model: 'm', streamed, signal: new AbortController().signal };
    for await (const event of model.stream({ ...request, messages: [{ role: 'user', content: 'Hi' }] })) {
      events.push(event);
      yield event;
    }
  }
  return { asked: () => asked, events, ask: (streamed = false) => collect(seen(streamed)) };
}

const completion = (message: Json, more: Json = {}) =>
  JSON.stringify({
    id: 'cmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Bergen', ...message }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    ...more,
  });

const called = (call: Json) => ({
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'note', arguments: '{}' }, ...call }],
});

test.each([
  ['a text that is a number', completion({ content: 7 }), { text: '7' }],
  ['created as a text', completion({}, { created: '2026-01-01T00:00:00Z' }), { text: 'Bergen' }],
  ['an id that is a number', completion({}, { id: 17 }), { text: 'Bergen' }],
  [
    'counts as texts',
    completion({}, { usage: { prompt_tokens: '10', completion_tokens: '5' } }),
    { usage: { inputTokens: 10, outputTokens: 5 } },
  ],
  [
    'details of the usage that are null',
    completion({}, { usage: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: null } }),
    { text: 'Bergen' },
  ],
  ['another role', completion({ role: 'model' }), { text: 'Bergen' }],
  [
    'logprobs of a form of its own',
    completion(
      {},
      {
        choices: [
          { message: { role: 'assistant', content: 'Bergen' }, finish_reason: 'stop', logprobs: [{ t: 1 }] },
        ],
      },
    ),
    { text: 'Bergen' },
  ],
  ['annotations that are no citations', completion({ annotations: [{ type: 'note' }] }), { text: 'Bergen' }],
  ['tool_calls: null', completion({ tool_calls: null }), { text: 'Bergen', toolCalls: [] }],
  [
    'arguments as an object',
    completion(called({ function: { name: 'note', arguments: { text: 'a' } } })),
    { toolCalls: [{ name: 'note', input: { text: 'a' } }] },
  ],
  [
    'arguments: null',
    completion(called({ function: { name: 'note', arguments: null } })),
    { toolCalls: [{ input: {} }] },
  ],
  ['a call without a type', completion(called({ type: undefined })), { toolCalls: [{ name: 'note' }] }],
  ['a call with a number as its id', completion(called({ id: 7 })), { toolCalls: [{ name: 'note' }] }],
  ['a list around it', `[${completion({})}]`, { text: 'Bergen' }],
  ['a byte order mark', `\ufeff${completion({})}`, { text: 'Bergen' }],
] as const)('%s: every SDK of chat completions reads the answer', async (_name, text, expected) => {
  for (const provider of ['generic-openai', 'openai', 'groq'] as const) {
    const { ask } = await modelThat(provider, text);
    expect(await ask(), provider).toMatchObject(expected);
  }
});

const lines = (events: readonly object[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const piece = (delta: Json, more: Json = {}) => ({
  id: 'c',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const last = { id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const counts = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };

test.each([
  [
    'usage without choices',
    [piece({ content: 'Bergen' }), last, { id: 'c', created: 1, model: 'm', ...counts }],
  ],
  ['choices: null', [piece({ content: 'Bergen' }), last, { ...last, choices: null, ...counts }]],
  [
    'delta: null',
    [
      piece({ content: 'Bergen' }),
      { ...last, choices: [{ index: 0, delta: null, finish_reason: 'stop' }], ...counts },
    ],
  ],
  ['another role', [piece({ role: 'model', content: 'Bergen' }), { ...last, ...counts }]],
])('a stream with %s is read to its end', async (_name, events) => {
  for (const provider of ['generic-openai', 'openai'] as const) {
    const { ask } = await modelThat(provider, lines(events), 'text/event-stream');
    expect(await ask(true), provider).toMatchObject({ text: 'Bergen', stopReason: 'stop' });
  }
});

const begun = lines([piece({ content: 'Bergen' })]);
const done = 'data: [DONE]\n\n';
test.each([
  ['events without data', `data:\n\n${begun}data: \n\n${lines([last])}${done}`],
  ['no blank line behind its last event', begun + lines([last]).trimEnd()],
  ['no reason before its end', begun + done],
])('a stream with %s is read', async (_name, text) => {
  for (const provider of ['generic-openai', 'openai'] as const) {
    const { ask } = await modelThat(provider, text, 'text/event-stream');
    expect(await ask(true), provider).toMatchObject({ text: 'Bergen', stopReason: 'stop' });
  }
});

test.each([
  ['ends without a sign', begun, 'ended without a finish reason'],
  ['ends in an event', `${begun}data: {"id":"c`, ''],
  [
    'fails with a detail',
    `${begun}event: error\ndata: {"detail":"the queue is full"}\n\n`,
    'the queue is full',
  ],
  ['fails with a list', `${begun}data: {"errors":[{"msg":"the queue is full"}]}\n\n`, 'the queue is full'],
  ['has nothing but its end', done, ''],
])('a stream that %s is no answer', async (_name, text, words) => {
  const { ask } = await modelThat('generic-openai', text, 'text/event-stream');
  expect((await stepFailure(ask(true))).message).toContain(words);
});

const block = (index: number, start: Json, ...deltas: Json[]) => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const begin = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
};
const end = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
];
const said = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Bergen' });

test.each([
  ['an event of a proxy', [begin, { type: 'vertex_event', usage: { input_tokens: 1 } }, ...said, ...end]],
  [
    'a new kind of block',
    [begin, ...block(1, { type: 'mood' }, { type: 'text_delta', text: 'not text' }), ...said, ...end],
  ],
  [
    'a new kind of delta',
    [
      begin,
      ...block(
        0,
        { type: 'text', text: '' },
        { type: 'tone_delta', tone: 'calm' },
        { type: 'text_delta', text: 'Bergen' },
      ),
      ...end,
    ],
  ],
])('a stream of Claude with %s is read without it', async (_name, events) => {
  const { ask } = await modelThat('anthropic', lines(events), 'text/event-stream');
  expect(await ask(true)).toMatchObject({ text: 'Bergen', stopReason: 'stop', usage: { outputTokens: 5 } });
});

test('Claude pauses, runs out of context, and says why it refuses', async () => {
  const message = (stop_reason: string, more: Json = {}) =>
    JSON.stringify({
      ...begin.message,
      content: [{ type: 'text', text: 'Bergen, and' }],
      stop_reason,
      ...more,
    });
  const ended = async (text: string) => (await modelThat('anthropic', text)).ask();
  expect(await ended(message('pause_turn'))).toMatchObject({
    stopReason: 'other',
    providerReason: 'pause_turn',
  });
  expect(await ended(message('model_context_window_exceeded'))).toMatchObject({ stopReason: 'length' });
  const stop_details = { type: 'refusal', category: 'cyber', explanation: 'It is against our policy' };
  expect(await ended(message('refusal', { content: [], stop_details }))).toMatchObject({
    stopReason: 'content-filter',
    text: 'It is against our policy',
  });
});

test('letters that arrive in pieces of bytes stay whole', async () => {
  const text = lines([piece({ content: 'Grüße aus Bergen 🌧' }, { id: 7 }), { ...last, ...counts }]);
  const bytes = Buffer.from(text);
  const server = await loopback(async (request, response) => {
    request.resume();
    response.setHeader('content-type', 'text/event-stream');
    for (const byte of bytes) response.write(Buffer.of(byte));
    response.end();
  });
  const { model } = singleModelPorts({
    provider: 'generic-openai',
    modelId: 'm',
    credentials: { apiKey: 'k', baseUrl: server.url },
    keySource: 'platform',
  });
  const request = { model: 'm', streamed: true, signal: new AbortController().signal };
  const answer = await collect(model.stream({ ...request, messages: [{ role: 'user', content: 'Hi' }] }));
  expect(answer.text).toBe('Grüße aus Bergen 🌧');
});

test('an answer that cannot be used is asked for once, says why, and is charged with the tokens that it states', async () => {
  const answer = await modelThat('generic-openai', completion({}, { choices: 'none' }));
  const failure = await stepFailure(answer.ask());
  expect(failure).toMatchObject({ retryable: false });
  expect(failure.message).toContain(
    'returned an unusable response: its member choices is not as its API says',
  );
  expect(failure.message).not.toMatch(/[{[]/);
  expect(answer.asked()).toBe(1);
  expect(answer.events).toMatchObject([
    { type: 'start', charged: { usage: { inputTokens: 10, outputTokens: 5 } } },
  ]);
});

test('an error in an answer with the status 200 is an error, with the provider’s words', async () => {
  const overloaded = { error: { code: 503, message: 'The model is overloaded', status: 'UNAVAILABLE' } };
  const answer = await modelThat('generic-openai', JSON.stringify(overloaded));
  const failure = await stepFailure(answer.ask());
  expect(failure.message).toContain('answered 503: The model is overloaded');
  expect(failure.retryable).toBe(true);
});
