import type { ModelRequest, ModelResponse, ModelUsage } from '../../../shared/adapters/ports/model-port.ts';
import { type Feature, pdf, png, type Reply, schema, weather } from './wire.ts';

/** A feature as a request to the port, the reply of the provider, and what the port makes of it. */
export interface FeatureCase {
  request?: Partial<ModelRequest>;
  reply?: Reply;
  /** Part of the response. */
  response?: object;
  /** Uses the wire's model that reasons. */
  reasons?: true;
}

const call = { id: 'call12345', name: 'weather', pieces: ['{"city"', ':"Oslo"}'] };
const toolCall = { name: 'weather', input: { city: 'Oslo' } };
const file = (data: Uint8Array, mediaType: string, filename: string): Partial<ModelRequest> => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', data, mediaType, filename },
      ],
    },
  ],
});
const counting = (more: Partial<ModelUsage>): FeatureCase => {
  const usage = { inputTokens: 10, outputTokens: 5, ...more };
  return { reply: { text: ['Hi'], usage }, response: { usage } };
};
const stopping = (stop: 'length' | 'content-filter'): FeatureCase => ({
  reply: { text: ['Hel'], stop },
  response: { text: 'Hel', stopReason: stop },
});
const reasoned: Reply = { reasoning: ['Think', 'ing'], text: ['Hi'] };

/** `results` and `returned` take a second turn, which the test makes. */
export const featureCases: Record<Exclude<Feature, 'results' | 'returned'>, FeatureCase> = {
  text: {
    request: {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
      settings: { temperature: 0.5, maxTokens: 100 },
    },
    reply: { text: ['Hello ', 'Ada'] },
    response: {
      text: 'Hello Ada',
      stopReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello Ada' }] },
    },
  },
  tools: {
    request: { tools: [weather], toolChoice: 'required' },
    reply: { call, stop: 'tool-calls' },
    response: { stopReason: 'tool-calls', toolCalls: [toolCall] },
  },
  schema: {
    request: { format: { type: 'json', schema } },
    reply: { text: ['{"n"', ':1}'] },
    response: { text: '{"n":1}', stopReason: 'stop' },
  },
  image: { request: file(png, 'image/png', 'a.png') },
  pdf: { request: file(pdf, 'application/pdf', 'a.pdf') },
  effort: { request: { reasoning: { effort: 'high' } }, reasons: true },
  budget: { request: { reasoning: { budgetTokens: 2_000 } }, reasons: true },
  reasoning: {
    request: { reasoning: { effort: 'high', summary: 'auto' } },
    reply: reasoned,
    response: { reasoning: 'Thinking', text: 'Hi' },
    reasons: true,
  },
  seed: { request: { settings: { seed: 7 } } },
  cacheRead: counting({ cacheReadTokens: 4 }),
  cacheWrite: counting({ cacheWriteTokens: 3 }),
  reasoningTokens: counting({ reasoningTokens: 2 }),
  source: {
    reply: { text: ['Hi'], source: { url: 'https://example.com/', title: 'Example' } },
    response: { sources: [{ url: 'https://example.com/', title: 'Example' }] },
  },
  length: stopping('length'),
  filter: stopping('content-filter'),
};

/** The first turn of a tool call, and its result. */
export const turns = (reasons: boolean) => ({
  question: {
    tools: [weather],
    messages: [{ role: 'user' as const, content: 'How is the weather?' }],
    ...(reasons && { reasoning: { effort: 'high' as const, summary: 'auto' as const } }),
  } satisfies Partial<ModelRequest>,
  reply: { call, stop: 'tool-calls' as const, ...(reasons && { reasoning: ['Think', 'ing'] }) },
  followUp: ({ message, toolCalls: [requested] }: ModelResponse): ModelRequest['messages'] => [
    { role: 'user', content: 'How is the weather?' },
    message,
    {
      role: 'tool',
      content: [{ type: 'tool-result', id: requested?.id ?? '', name: 'weather', output: { degrees: 3 } }],
    },
  ],
});
