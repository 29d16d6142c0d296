/** Language models, as flows and agents call them. */
export interface ModelPort {
  /**
   * Calls a model and yields its answer while the model writes it. No more is read than the caller takes; leaving the
   * loop ends the call. The last event is `finish`. @throws StepError
   */
  stream: (request: ModelRequest) => AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  /** `<provider>/<modelId>`, or a model id of the catalog. */
  model: string;
  messages: readonly ModelMessage[];
  /** What the model may call. It only asks for a call: the caller runs the tool and sends the result. */
  tools?: readonly ModelTool[] | undefined;
  /** `auto` without it. */
  toolChoice?: 'auto' | 'none' | 'required' | { tool: string } | undefined;
  /** `json` asks the provider for JSON, by a JSON Schema where one is given, where the provider can promise that. */
  format?: { type: 'text' } | { type: 'json'; schema?: JsonSchema | undefined } | undefined;
  /** How long the model may reason before it answers; the provider's own default without it. */
  reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | undefined;
  settings?: ModelSettings | undefined;
  /**
   * Whether the provider is asked to stream. Without it the events come at once when the answer is complete, which
   * costs half the CPU.
   */
  streamed: boolean;
  signal: AbortSignal;
}

export interface ModelSettings {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | readonly (TextPart | FilePart)[] }
  | { role: 'assistant'; content: string | readonly (TextPart | ToolCallPart)[] }
  | { role: 'tool'; content: readonly ToolResultPart[] };

export interface TextPart {
  type: 'text';
  text: string;
}

/** An image has a media type such as `image/png`. There are no URLs here: whoever has one fetches it first. */
export interface FilePart {
  type: 'file';
  data: Uint8Array;
  mediaType: string;
  filename?: string | undefined;
}

export interface ToolCallPart {
  type: 'tool-call';
  id: string;
  name: string;
  input: unknown;
}

export interface ToolResultPart {
  type: 'tool-result';
  /** Of the call that it answers, as is `name`. */
  id: string;
  name: string;
  /** A text, or any JSON. */
  output: unknown;
  failed?: boolean | undefined;
}

export interface ModelTool {
  name: string;
  description?: string | undefined;
  parameters: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A piece of the JSON that the model writes as the input of a call. */
  | { type: 'tool-call-delta'; id: string; name: string; text: string }
  /** A complete call. `input` is undefined where `text`, as the model wrote it, is no JSON. */
  | { type: 'tool-call'; id: string; name: string; input: unknown; text: string }
  /** What the model's answer refers to. */
  | { type: 'source'; id: string; title: string | null; url: string | null }
  | ({ type: 'finish' } & ModelFinish);

export interface ModelFinish {
  /** The whole text of the answer. */
  text: string;
  /** `length`: the answer hit its limit of tokens. */
  stopReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'interrupted' | 'error' | 'other';
  /** `<provider>/<modelId>` */
  modelUsed: string;
  /** Null where the provider reports none, or an impossible one. */
  usage: ModelUsage | null;
  /** USD, as decimal text; null without a usage, and where the catalog has no price. */
  cost: string | null;
}

export interface ModelUsage {
  /** All of the input, with what was read from a cache or written to one. */
  inputTokens: number;
  /** All of the output, with the tokens of reasoning. */
  outputTokens: number;
  cacheReadTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** A whole answer. */
export interface ModelResponse extends ModelFinish {
  reasoning: string;
  toolCalls: Extract<ModelEvent, { type: 'tool-call' }>[];
  sources: Extract<ModelEvent, { type: 'source' }>[];
}

/** The answer that the events make up. Waits for `onText` before it takes the next event. */
export async function collect(
  events: AsyncIterable<ModelEvent>,
  onText?: (delta: string) => Promise<void> | void,
): Promise<ModelResponse> {
  const answer: Omit<ModelResponse, keyof ModelFinish> = { reasoning: '', toolCalls: [], sources: [] };
  for await (const event of events) {
    if (event.type === 'text-delta') await onText?.(event.text);
    else if (event.type === 'reasoning-delta') answer.reasoning += event.text;
    else if (event.type === 'tool-call') answer.toolCalls.push(event);
    else if (event.type === 'source') answer.sources.push(event);
    else if (event.type === 'finish') {
      const { type: _type, ...finish } = event;
      return { ...answer, ...finish };
    }
  }
  throw new Error('A model’s events ended without a finish');
}
