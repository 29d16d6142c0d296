import { expect } from 'vitest';
import { eventStreamMessage } from './event-stream.ts';
import { pdf, png, type Reply, schema, thinkingSignature, usualUsage, type Wire, weather } from './wire.ts';

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'content_filtered',
};

/** `inputTokens` are those that no cache served. */
function usageOf({ usage = usualUsage }: Reply) {
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return {
    inputTokens: usage.inputTokens - cacheReadTokens - cacheWriteTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.inputTokens + usage.outputTokens,
    cacheReadInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  };
}

const whole = (reply: Reply) => ({
  output: {
    message: {
      role: 'assistant',
      content: [
        ...(reply.reasoning
          ? [
              {
                reasoningContent: {
                  reasoningText: { text: reply.reasoning.join(''), signature: thinkingSignature },
                },
              },
            ]
          : []),
        ...(reply.text ? [{ text: reply.text.join('') }] : []),
        ...(reply.call
          ? [
              {
                toolUse: {
                  toolUseId: reply.call.id,
                  name: reply.call.name,
                  input: JSON.parse(reply.call.pieces.join('')),
                },
              },
            ]
          : []),
      ],
    },
  },
  stopReason: stopReasons[reply.stop ?? 'stop'],
  usage: usageOf(reply),
  metrics: { latencyMs: 1 },
});

const named = (name: string, data: object) =>
  eventStreamMessage(
    { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(data),
  );

function framesOf(reply: Reply): Uint8Array[] {
  const { text = [], reasoning = [], call } = reply;
  const thoughts = [...reasoning.map((piece) => ({ text: piece })), { signature: thinkingSignature }];
  const blocks = [
    { deltas: reasoning.length > 0 ? thoughts.map((reasoningContent) => ({ reasoningContent })) : [] },
    { deltas: text.map((piece) => ({ text: piece })) },
    {
      start: { toolUse: { toolUseId: call?.id, name: call?.name } },
      deltas: (call?.pieces ?? []).map((input) => ({ toolUse: { input } })),
    },
  ].filter(({ deltas }) => deltas.length > 0);
  return [
    named('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start ? [named('contentBlockStart', { contentBlockIndex, start })] : []),
      ...deltas.map((delta) => named('contentBlockDelta', { contentBlockIndex, delta })),
      named('contentBlockStop', { contentBlockIndex }),
    ]),
    named('messageStop', { stopReason: stopReasons[reply.stop ?? 'stop'] }),
    named('metadata', { usage: usageOf(reply), metrics: { latencyMs: 1 } }),
  ];
}

const user = (part: object) => ({
  body: { messages: [{ role: 'user', content: [{ text: 'What is this?' }, part] }] },
});
const toolUse = { toolUseId: 'call12345', name: 'weather', input: { city: 'Oslo' } };
const result = { role: 'user', content: [{ toolResult: { toolUseId: 'call12345' } }] };
const modelId = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

export const bedrock: Wire = {
  title: 'Amazon Bedrock Converse',
  docs: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  provider: 'bedrock',
  modelId,
  path: (id, streamed) => `/model/${encodeURIComponent(id)}/${streamed ? 'converse-stream' : 'converse'}`,
  headers: { authorization: 'Bearer key-of-the-test' },
  streamedBody: {},
  contentType: 'application/vnd.amazon.eventstream',
  requests: {
    text: {
      body: {
        system: [{ text: 'Be brief' }],
        messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
        inferenceConfig: { temperature: 0.5, maxTokens: 100 },
      },
    },
    tools: {
      body: {
        toolConfig: {
          tools: [
            {
              toolSpec: {
                name: 'weather',
                description: weather.description,
                inputSchema: { json: weather.parameters },
              },
            },
          ],
          toolChoice: { any: {} },
        },
      },
    },
    results: {
      body: { messages: [{ role: 'user' }, { role: 'assistant', content: [{ toolUse }] }, result] },
    },
    schema: {
      body: { additionalModelRequestFields: { output_config: { format: { type: 'json_schema', schema } } } },
    },
    image: user({ image: { format: 'png', source: { bytes: png.toString('base64') } } }),
    pdf: user({ document: { format: 'pdf', source: { bytes: pdf.toString('base64') } } }),
    effort: {
      body: {
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: expect.any(Number) } },
      },
    },
    budget: {
      body: { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_000 } } },
    },
    returned: {
      body: {
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [
              { reasoningContent: { reasoningText: { text: 'Thinking', signature: thinkingSignature } } },
              { toolUse },
            ],
          },
          result,
        ],
      },
    },
  },
  lacks: {
    seed: 'the API takes none',
    reasoningTokens: 'the provider does not report them',
    source: 'the SDK returns none',
  },
  whole,
  frames: framesOf,
  errorFrame: eventStreamMessage(
    {
      ':exception-type': 'throttlingException',
      ':content-type': 'application/json',
      ':message-type': 'exception',
    },
    '{"message":"Too many requests"}',
  ),
  malformedFrame: eventStreamMessage(
    { ':event-type': 'contentBlockDelta', ':content-type': 'application/json', ':message-type': 'event' },
    '{"contentBlockIn',
  ),
  failure: (_status, message) => ({ message }),
};
