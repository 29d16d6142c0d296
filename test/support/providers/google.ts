import { expect } from 'vitest';
import { pdf, png, type Reply, sseEvent, thinkingSignature, usualUsage, type Wire, weather } from './wire.ts';

const finishReasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
};

/** `candidatesTokenCount` does not include thoughts. */
const usageOf = ({ usage = usualUsage }: Reply) => ({
  promptTokenCount: usage.inputTokens,
  candidatesTokenCount: usage.outputTokens - (usage.reasoningTokens ?? 0),
  totalTokenCount: usage.inputTokens + usage.outputTokens,
  ...(usage.cacheReadTokens && { cachedContentTokenCount: usage.cacheReadTokens }),
  ...(usage.reasoningTokens && { thoughtsTokenCount: usage.reasoningTokens }),
});

const answer = (reply: Reply, parts: object[], last: boolean) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts },
      ...(last && { finishReason: finishReasons[reply.stop ?? 'stop'] }),
      ...(last &&
        reply.source && {
          groundingMetadata: {
            groundingChunks: [{ web: { uri: reply.source.url, title: reply.source.title } }],
          },
        }),
    },
  ],
  usageMetadata: usageOf(reply),
  modelVersion: 'gemini-2.5-pro',
  responseId: 'r1',
});

/** A function call arrives complete, also in a stream. */
const partsOf = ({ text = [], reasoning = [], call }: Reply): object[] => [
  ...reasoning.map((piece) => ({ text: piece, thought: true })),
  ...text.map((piece) => ({ text: piece })),
  ...(call
    ? [
        {
          functionCall: { name: call.name, args: JSON.parse(call.pieces.join('')) },
          ...(reasoning.length > 0 && { thoughtSignature: thinkingSignature }),
        },
      ]
    : []),
];

const joined = (reply: Reply): Reply => ({
  ...reply,
  ...(reply.text && { text: [reply.text.join('')] }),
  ...(reply.reasoning && { reasoning: [reply.reasoning.join('')] }),
});

const inline = (mimeType: string, bytes: Buffer) => ({
  body: {
    contents: [
      {
        role: 'user',
        parts: [{ text: 'What is this?' }, { inlineData: { mimeType, data: bytes.toString('base64') } }],
      },
    ],
  },
});
const functionCall = { name: 'weather', args: { city: 'Oslo' } };
const result = { role: 'user', parts: [{ functionResponse: { name: 'weather' } }] };

export const google: Wire = {
  title: 'Google generateContent',
  docs: 'https://ai.google.dev/api/generate-content',
  provider: 'google',
  modelId: 'gemini-2.5-pro',
  path: (modelId, streamed) =>
    `/models/${modelId}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: { 'x-goog-api-key': 'key-of-the-test' },
  streamedBody: {},
  contentType: 'text/event-stream',
  requests: {
    text: {
      body: {
        systemInstruction: { parts: [{ text: 'Be brief' }] },
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generationConfig: { temperature: 0.5, maxOutputTokens: 100 },
      },
    },
    tools: {
      body: {
        tools: [{ functionDeclarations: [{ name: 'weather', description: weather.description }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      },
    },
    results: {
      body: { contents: [{ role: 'user' }, { role: 'model', parts: [{ functionCall }] }, result] },
    },
    schema: { body: { generationConfig: { responseMimeType: 'application/json' } } },
    image: inline('image/png', png),
    pdf: inline('application/pdf', pdf),
    effort: { body: { generationConfig: { thinkingConfig: { thinkingBudget: expect.any(Number) } } } },
    budget: { body: { generationConfig: { thinkingConfig: { thinkingBudget: 2_000 } } } },
    reasoning: { body: { generationConfig: { thinkingConfig: { includeThoughts: true } } } },
    returned: {
      body: {
        contents: [
          { role: 'user' },
          {
            role: 'model',
            parts: expect.arrayContaining([
              expect.objectContaining({
                functionCall: expect.objectContaining(functionCall),
                thoughtSignature: thinkingSignature,
              }),
            ]),
          },
          result,
        ],
      },
    },
    seed: { body: { generationConfig: { seed: 7 } } },
  },
  lacks: { cacheWrite: 'the provider does not report it' },
  whole: (reply) => answer(reply, partsOf(joined(reply)), true),
  frames: (reply) => {
    const parts = partsOf(reply);
    return parts.map((part, n) => sseEvent(answer(reply, [part], n === parts.length - 1)));
  },
  errorFrame: sseEvent({ error: { code: 503, message: 'The model is overloaded', status: 'UNAVAILABLE' } }),
  malformedFrame: 'data: {"candidates":[{"content":{"par\n\n',
  failure: (code, message) => ({ error: { code, message, status: 'ERROR_OF_THE_TEST' } }),
};
