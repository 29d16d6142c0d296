import { expect } from 'vitest';
import {
  pdf,
  png,
  type Reply,
  schema,
  sseEvent,
  thinkingSignature,
  usualUsage,
  type Wire,
  weather,
} from './wire.ts';

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
};

/** `input_tokens` are those that no cache served. */
const usageOf = ({ usage = usualUsage }: Reply) => ({
  input_tokens: usage.inputTokens - (usage.cacheReadTokens ?? 0) - (usage.cacheWriteTokens ?? 0),
  output_tokens: usage.outputTokens,
  cache_read_input_tokens: usage.cacheReadTokens ?? 0,
  cache_creation_input_tokens: usage.cacheWriteTokens ?? 0,
});

const contentOf = ({ text, reasoning, call }: Reply) => [
  ...(reasoning ? [{ type: 'thinking', thinking: reasoning.join(''), signature: thinkingSignature }] : []),
  ...(text ? [{ type: 'text', text: text.join('') }] : []),
  ...(call
    ? [{ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.pieces.join('')) }]
    : []),
];

const messageOf = (reply: Reply, content = contentOf(reply)) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content,
  stop_reason: stopReasons[reply.stop ?? 'stop'],
  stop_sequence: null,
  usage: usageOf(reply),
});

function framesOf(reply: Reply): string[] {
  const named = (type: string, data: object = {}) => sseEvent({ type, ...data }, type);
  const { text = [], reasoning = [], call } = reply;
  const blocks = [
    {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: thinkingSignature },
      ],
      present: reasoning.length > 0,
    },
    {
      start: { type: 'text', text: '' },
      deltas: text.map((piece) => ({ type: 'text_delta', text: piece })),
      present: text.length > 0,
    },
    {
      start: { type: 'tool_use', id: call?.id, name: call?.name, input: {} },
      deltas: (call?.pieces ?? []).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      present: call !== undefined,
    },
  ].filter(({ present }) => present);
  const opening = { ...messageOf(reply, []), stop_reason: null };
  return [
    named('message_start', { message: { ...opening, usage: { ...usageOf(reply), output_tokens: 1 } } }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => named('content_block_delta', { index, delta })),
      named('content_block_stop', { index }),
    ]),
    named('message_delta', {
      delta: { stop_reason: stopReasons[reply.stop ?? 'stop'], stop_sequence: null },
      usage: { output_tokens: usageOf(reply).output_tokens },
    }),
    named('message_stop'),
  ];
}

const source = (media_type: string, bytes: Buffer) => ({
  type: 'base64',
  media_type,
  data: bytes.toString('base64'),
});
const user = (part: object) => ({
  body: { messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] }] },
});
const use = { type: 'tool_use', id: 'call12345', name: 'weather', input: { city: 'Oslo' } };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call12345' }] };

export const anthropic: Wire = {
  title: 'Anthropic messages',
  docs: 'https://docs.anthropic.com/en/api/messages',
  provider: 'anthropic',
  modelId: 'claude-sonnet-4-5',
  path: () => '/messages',
  headers: { 'x-api-key': 'key-of-the-test', 'anthropic-version': '2023-06-01' },
  streamedBody: { stream: true },
  contentType: 'text/event-stream',
  requests: {
    text: {
      body: {
        model: 'claude-sonnet-4-5',
        max_tokens: 100,
        temperature: 0.5,
        system: [{ type: 'text', text: 'Be brief' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      },
    },
    tools: {
      body: {
        tools: [{ name: 'weather', description: weather.description, input_schema: weather.parameters }],
        tool_choice: { type: 'any' },
      },
    },
    results: { body: { messages: [{ role: 'user' }, { role: 'assistant', content: [use] }, result] } },
    schema: { body: { output_config: { format: { type: 'json_schema', schema } } } },
    image: user({ type: 'image', source: source('image/png', png) }),
    pdf: user({ type: 'document', source: source('application/pdf', pdf) }),
    effort: {
      body: { thinking: { type: 'enabled', budget_tokens: expect.any(Number) } },
      without: ['temperature'],
    },
    budget: { body: { thinking: { type: 'enabled', budget_tokens: 2_000 } } },
    returned: {
      body: {
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [{ type: 'thinking', thinking: 'Thinking', signature: thinkingSignature }, use],
          },
          result,
        ],
      },
    },
  },
  lacks: {
    seed: 'the API takes none',
    reasoningTokens: 'the provider does not report them',
    source: 'only of Anthropic’s own search tool, which is not used',
  },
  whole: (reply) => messageOf(reply),
  frames: framesOf,
  errorFrame: sseEvent(
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'error',
  ),
  malformedFrame: 'event: content_block_delta\ndata: {"type":"content_block_de\n\n',
  failure: (_status, message) => ({ type: 'error', error: { type: 'error_of_the_test', message } }),
};
