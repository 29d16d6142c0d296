import type { ProviderName } from '../../../shared/adapters/models/providers/provider-names.ts';
import type { ModelRequest, ModelUsage } from '../../../shared/adapters/ports/model-port.ts';

/** What a stand-in answers, in no provider's format. */
export interface Reply {
  /** Text and reasoning arrive in these pieces. */
  text?: readonly string[];
  reasoning?: readonly string[];
  call?: { id: string; name: string; pieces: readonly string[] };
  source?: { url: string; title: string };
  stop?: 'stop' | 'length' | 'tool-calls' | 'content-filter';
  usage?: ModelUsage;
}

export const features = {
  text: 'text, system prompt, temperature, output limit',
  tools: 'tool calls',
  results: 'tool results',
  schema: 'response schema',
  image: 'images',
  pdf: 'PDF files',
  effort: 'reasoning effort',
  budget: 'reasoning budget',
  reasoning: 'text or summary of the reasoning',
  returned: 'reasoning sent back with tool results',
  seed: 'seed',
  cacheRead: 'tokens read from a cache',
  cacheWrite: 'tokens written to a cache',
  reasoningTokens: 'reasoning tokens',
  source: 'sources',
  length: 'stop at the output limit',
  filter: 'stop by a content filter',
} as const;
export type Feature = keyof typeof features;

/** What a request must look like, from the provider's documentation. */
export interface Expected {
  /** Part of the body. */
  body: object;
  /** Members that the body must not have. */
  without?: readonly string[];
}

/** A request as a stand-in received it. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
}

/** The wire format of one API of a provider. */
export interface Wire {
  /** A row of the table in docs/providers.md. */
  title: string;
  /** The documentation that the format was written from. */
  docs: string;
  provider: ProviderName;
  modelId: string;
  /** A model that reasons, if `modelId` does not. */
  reasoningModelId?: string;
  /** Further members of every request, which make the port choose this API. */
  always?: Partial<ModelRequest>;
  path: (modelId: string, streamed: boolean) => string;
  /** Headers that authenticate. The key is `key-of-the-test`. */
  headers: Record<string, unknown>;
  /** What a streamed request says in its body. */
  streamedBody: object;
  /** What each feature adds to the request's body. */
  requests: Partial<Record<Feature, Expected>>;
  /** Features that the provider or its SDK does not have, and why. */
  lacks: Partial<Record<Feature, string>>;
  contentType: string;
  whole: (reply: Reply) => object;
  /** The frames of a stream, each of which a server writes at once. */
  frames: (reply: Reply) => (string | Uint8Array)[];
  /** An error that the server reports within a stream. */
  errorFrame: string | Uint8Array;
  /** A frame whose JSON is cut off. */
  malformedFrame: string | Uint8Array;
  failure: (status: number, message: string) => object;
}

export const usualUsage: ModelUsage = { inputTokens: 10, outputTokens: 5 };

/** A server-sent event. */
export const sseEvent = (data: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

export const weather = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
export const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
export const png = Buffer.from('89504e470d0a1a0a', 'hex');
export const pdf = Buffer.from('%PDF-1.7\n');
export const thinkingSignature = 'c2lnbmF0dXJl';
