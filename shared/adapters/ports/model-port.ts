/**
 * The interface between whoever calls a language model and the providers: requests, messages, events and errors.
 * Protocol of `stream`: `start` once the provider answers, and so charges, then deltas and complete tool calls, and `finish`
 * as the last event; a response that ends without it has failed. Leaving the loop aborts the call.
 * `adapters/models` implements it for providers; `execution/model-calls` wraps it for budgets, fallbacks and spans; steps and
 * the agent loop only see this interface. `collect` and `openResponse` gather the events of a whole response.
 */
import { StepError, type StepErrorOptions } from '../../core/errors/step-error.ts';
import type { Payer } from './payer.ts';

/** Language models, for flows and agents. */
export interface ModelPort {
  /**
   * Calls a model and streams its response. Reads only as fast as the caller; leaving the loop aborts the call. The
   * last event is `finish`. The first one of a streamed response is `start`. @throws StepError
   */
  stream: (request: ModelRequest) => AsyncIterable<ModelEvent>;
  /** The names of the same model at the other configured providers, cheapest first. @throws StepError */
  alternatives: (model: string) => Promise<string[]>;
  /** What is known of the limits and prices of a model. @throws StepError if the name means no usable model */
  limits: (model: string) => Promise<ModelLimits>;
  /** What the name means now, without its key: JSON that is equal for calls that are answered alike. @throws StepError */
  identity: (model: string) => Promise<object>;
  /** The name of the tenant's model for embeddings. @throws StepError if there is none */
  embeddingModel: () => Promise<string>;
}

/** Undefined members are unknown, as those of many models outside of the catalog. */
export interface ModelLimits {
  /** Input and output together. */
  contextTokens?: number | undefined;
  /** The longest response. */
  outputTokens?: number | undefined;
  /** The limit for the response of a request that states none. */
  maxTokens?: number | undefined;
  /** The highest rates of the base tier and, for calls with more input tokens, of the others. */
  prices?: readonly PriceTier[] | undefined;
}

/** USD per million tokens, as decimal text. */
export interface PriceTier {
  /** The tier applies to calls with more input tokens. */
  above: number;
  /** The highest rate of an input token: fresh, read from a cache or written to one. */
  input: string;
  output: string;
}

export interface ModelRequest {
  /** The id of a model config, `default`, `<provider>/<modelId>`, or a model id from the catalog. */
  model: string;
  messages: readonly ModelMessage[];
  /** The tools that the model may call. The caller runs a requested tool and sends its result. */
  tools?: readonly ModelTool[] | undefined;
  /** Default: `auto`. */
  toolChoice?: 'auto' | 'none' | 'required' | { tool: string } | undefined;
  /** Whether the model may call several tools in one response. Default: that of the provider. Some providers ignore it. */
  parallelToolCalls?: boolean | undefined;
  /** `json` requests JSON from providers that support it, with a JSON Schema if one is given. */
  format?: { type: 'text' } | { type: 'json'; schema?: JsonSchema | undefined } | undefined;
  reasoning?: ModelReasoning | undefined;
  settings?: ModelSettings | undefined;
  /** Changes no answer. Default: that of the model config, else `auto`. */
  promptCaching?: PromptCaching | undefined;
  /** How large the input is, if the caller knows it better than an estimate of the messages. */
  inputTokens?: number | undefined;
  /** On whose account the call is, beside those of the run that the port is of. */
  payers?: readonly Payer[] | undefined;
  /** How the caller waits where its model or key is limited. Default: in place. */
  wait?: CallerWait | undefined;
  /**
   * Whether to stream from the provider. If not, all events arrive with the complete response, which costs half the
   * CPU.
   */
  streamed: boolean;
  signal: AbortSignal;
}

/** A caller of models that can come back later. */
export interface CallerWait {
  since: Date;
  /** Whether a longer wait ends the call with `RunMustWait`. */
  maySuspend: () => boolean;
  /** Whether the caller tries again by itself after temporary errors, so that they are not retried here. */
  triesAgain?: boolean;
}

/** `auto` marks what a provider shall cache, where it caches nothing else. */
export type PromptCaching = 'auto' | 'off';

/** Providers ignore what they do not support. Default: the provider's own. */
export interface ModelReasoning {
  effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /** The largest number of reasoning tokens, for providers that take one; there it replaces the effort. */
  budgetTokens?: number | undefined;
  /** Requests a summary of the reasoning, which arrives as `reasoning-delta`. */
  summary?: 'auto' | 'detailed' | undefined;
}

export interface ModelSettings {
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
  /** Texts before which the response ends. */
  stopSequences?: string[] | undefined;
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | readonly (TextPart | FilePart)[] }
  | AssistantMessage
  | { role: 'tool'; content: readonly ToolResultPart[] };

export interface AssistantMessage {
  role: 'assistant';
  content: string | readonly AssistantPart[];
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

/** Data that a provider requires back with a part of its response, such as a signature. JSON; other providers ignore it. */
type ProviderData = Readonly<Record<string, unknown>> | undefined;

export interface TextPart {
  type: 'text';
  text: string;
  providerData?: ProviderData;
}

interface ReasoningPart {
  type: 'reasoning';
  text: string;
  providerData?: ProviderData;
}

/** An image has a media type such as `image/png`. The caller fetches files that it has as URLs. */
export interface FilePart {
  type: 'file';
  data: Uint8Array;
  mediaType: string;
  filename?: string | undefined;
}

interface ToolCallPart {
  type: 'tool-call';
  id: string;
  name: string;
  input: unknown;
  providerData?: ProviderData;
}

export interface ToolResultPart {
  type: 'tool-result';
  /** The id and `name` of the tool call. */
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
  /**
   * The provider answers, so it charges the call, whether the response ends or not. `charged` is what is known of that if it
   * does not, as of an answer that cannot be used.
   */
  | ({ type: 'start'; charged?: Pick<ModelFinish, 'usage' | 'cost'> } & ModelCallSource)
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A piece of the JSON input of a tool call. */
  | { type: 'tool-call-delta'; id: string; name: string; text: string }
  /** A complete tool call. `input` is undefined if `text`, as the model wrote it, is not JSON, or too deep. */
  | { type: 'tool-call'; id: string; name: string; input: unknown; text: string }
  /** A source that the response cites. */
  | { type: 'source'; id: string; title: string | null; url: string | null }
  | ({ type: 'finish' } & ModelFinish);

/** The provider did not answer, or not to the end. */
export class ModelCallFailed extends StepError {
  readonly source: ModelCallSource;
  /** Whether the caller aborted the call. */
  readonly isAborted: boolean;
  /** Of the response of the provider, if it was an error. */
  readonly status: number | undefined;
  /** What the provider calls its error, and the parameter that it is about. */
  readonly stated: FailedCall['stated'];

  constructor(
    message: string,
    { source, isAborted, status, stated, ...options }: StepErrorOptions & FailedCall,
  ) {
    super(message, options);
    this.source = source;
    this.isAborted = isAborted;
    this.status = status;
    this.stated = stated;
  }
}

interface FailedCall {
  source: ModelCallSource;
  isAborted: boolean;
  status?: number | undefined;
  stated?: { code?: string | undefined; param?: string | undefined } | undefined;
}

/** Which model a call used, and whose account paid. */
export interface ModelCallSource {
  /** `<provider>/<modelId>` */
  modelUsed: string;
  /** Whose key paid for the call: the deployment's or the tenant's own. */
  keySource: 'platform' | 'custom';
  /** The model config that selected the model, if any. */
  configId?: string | undefined;
  /** The tenant's provider key that paid, if it has an id. */
  providerKeyId?: string | undefined;
}

export interface ModelFinish extends ModelCallSource {
  /** The complete text of the response. */
  text: string;
  /**
   * The response as a message of the next request. Providers require its reasoning and its provider data back before the
   * results of tools.
   */
  message: AssistantMessage;
  /** `length`: the response reached its token limit. */
  stopReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'interrupted' | 'error' | 'other';
  /** The same in the provider's words, such as `SAFETY`. */
  providerReason?: string | undefined;
  /** Settings of the request that the provider or its SDK does not take, in words. */
  ignored?: readonly string[] | undefined;
  /** Null if the provider reports no usage, or an impossible one. */
  usage: ModelUsage | null;
  /** USD as decimal text; null without a usage or a price in the catalog. */
  cost: string | null;
  /** USD that the provider's cache saved, as decimal text; negative if writing to it cost more. Absent without a use of it. */
  cacheSavings?: string | undefined;
}

export interface ModelUsage {
  /** All input tokens, including cache reads and writes. */
  inputTokens: number;
  /** All output tokens, including reasoning. */
  outputTokens: number;
  cacheReadTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** A complete response. */
export interface ModelResponse extends ModelFinish {
  reasoning: string;
  toolCalls: Extract<ModelEvent, { type: 'tool-call' }>[];
  sources: Extract<ModelEvent, { type: 'source' }>[];
}

/** Collects the events of a response. @returns a function that takes each event, and returns the response at the finish. */
export function openResponse() {
  const answer: Omit<ModelResponse, keyof ModelFinish> = { reasoning: '', toolCalls: [], sources: [] };
  return (event: ModelEvent): ModelResponse | undefined => {
    if (event.type === 'reasoning-delta') answer.reasoning += event.text;
    else if (event.type === 'tool-call') answer.toolCalls.push(event);
    else if (event.type === 'source') answer.sources.push(event);
    else if (event.type === 'finish') {
      const { type: _type, ...finish } = event;
      return { ...answer, ...finish };
    }
    return undefined;
  };
}

/** Collects a whole response. */
export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelResponse> {
  const add = openResponse();
  for await (const event of events) {
    const response = add(event);
    if (response) return response;
  }
  throw unfinished();
}

export const unfinished = () => new Error('The events of a model response ended without a finish');
