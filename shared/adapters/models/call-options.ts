/**
 * Converts a model request to the call options of the AI SDK, with what each provider needs beyond them.
 * Decided here: which options a provider takes under which name, where system messages may stand, and after which messages
 * a provider that caches only on request gets cache marks.
 * `model-stream.ts` first computes the marks (`cacheMarks`), then converts; both are pure, except that the catalog is loaded
 * for the model's smallest cacheable prefix.
 */
import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { omitUndefined } from '../../core/defined.ts';
import { toRawNumbers } from '../../core/json/exact-json.ts';
import type {
  AssistantPart,
  FilePart,
  JsonSchema,
  ModelMessage,
  ModelRequest,
  ModelTool,
  TextPart,
  ToolResultPart,
} from '../ports/model-port.ts';
import { modelCacheTokensMin } from './catalog.ts';
import { cachePointAfterTools } from './providers/bedrock-tools.ts';
import type { ProviderName } from './providers/provider-names.ts';
import type { ResolvedModel } from './resolved-model.ts';
import { tokensOfMessage, tokensOfTools } from './usage.ts';

/** Converts a request to the AI SDK's provider interface. */
export function toCallOptions(
  request: ModelRequest,
  { provider, modelId }: Pick<ResolvedModel, 'provider' | 'modelId'>,
  marks?: CacheMarks,
): LanguageModelV4CallOptions {
  const { messages, tools = [], toolChoice = 'auto', format, reasoning, settings, signal } = request;
  const { maxTokens: maxOutputTokens, ...others } = settings ?? {};
  const ofProvider = providerOptionBuilders[provider](modelId, request, marks);
  const providerOptions = addParallelTools(provider, request, ofProvider);
  const begun = messages.findIndex(({ role }) => role !== 'system');
  const systemAfter = systemFirst.has(provider) && begun !== -1 ? begun : Number.POSITIVE_INFINITY;
  return {
    prompt: messages.map((message, index) => ({
      ...toSdkMessage(
        systemAfter < index && message.role === 'system' ? toUserMessage(message) : message,
        provider,
      ),
      ...(marks?.after.has(message) && { providerOptions: marks.mark }),
    })),
    ...(tools.length > 0 && {
      tools: tools.map((tool, index) => ({
        ...toSdkTool(tool),
        ...(marks?.afterTools && index === tools.length - 1 && { providerOptions: marks.mark }),
      })),
      toolChoice: toSdkToolChoice(toolChoice),
    }),
    ...(format?.type === 'json' && {
      responseFormat: { type: 'json', ...(format.schema && { schema: format.schema as never }) },
    }),
    ...(reasoning?.effort && { reasoning: reasoning.effort }),
    ...(providerOptions && { providerOptions: providerOptions as SharedV4ProviderOptions }),
    ...omitUndefined({ ...others, maxOutputTokens }),
    abortSignal: signal,
  };
}

/** They refuse system messages after others, or some of their models do. */
const systemFirst: ReadonlySet<ProviderName> = new Set(['anthropic', 'bedrock', 'google', 'mistral']);

/** At the beginning it would hold for what was said before it too. */
const toUserMessage = ({ content }: ModelMessage): ModelMessage => ({
  role: 'user',
  // D141
  content: `<system>\n${content}\n</system>`,
});

function toSdkMessage(message: ModelMessage, provider: ProviderName): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: toParts(message.content).map(toUserPart) };
    case 'assistant':
      return {
        role: 'assistant',
        content: toParts(message.content).map(toAssistantPart),
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.content.map((part) => ({
          type: 'tool-result',
          toolCallId: part.id,
          toolName: part.name,
          output: toToolOutput(part, provider),
        })),
      };
  }
}

const toParts = <Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function toAssistantPart({ providerData, ...part }: AssistantPart) {
  const providerOptions = providerData as SharedV4ProviderOptions | undefined;
  return {
    ...(part.type === 'tool-call'
      ? { type: part.type, toolCallId: part.id, toolName: part.name, input: toRawNumbers(part.input) }
      : part),
    ...(providerOptions && { providerOptions }),
  };
}

const toUserPart = (part: TextPart | FilePart) =>
  part.type === 'text'
    ? { type: part.type, text: part.text }
    : {
        type: 'file' as const,
        data: { type: 'data' as const, data: part.data },
        mediaType: part.mediaType,
        ...(part.filename !== undefined && { filename: part.filename }),
      };

/** Their SDKs send a value as its JSON text, which they would write anew in each turn of an agent. */
const sendsJsonAsText: ReadonlySet<ProviderName> = new Set([
  'openai',
  'anthropic',
  'groq',
  'togetherai',
  'mistral',
  'generic-openai',
]);
const resultTexts = new WeakMap<ToolResultPart, string>();

function toToolOutput(part: ToolResultPart, provider: ProviderName): LanguageModelV4ToolResultOutput {
  const { output, failed } = part;
  if (typeof output === 'string') return { type: failed ? 'error-text' : 'text', value: output };
  if (failed || output === undefined || !sendsJsonAsText.has(provider))
    return { type: failed ? 'error-json' : 'json', value: toRawNumbers(output) as JSONValue };
  const text = resultTexts.get(part) ?? JSON.stringify(toRawNumbers(output));
  resultTexts.set(part, text);
  return { type: 'text', value: text };
}

const toSdkTool = ({ name, description, parameters }: ModelTool) => ({
  type: 'function' as const,
  name,
  ...(description !== undefined && { description }),
  inputSchema: parameters as never,
});

const toSdkToolChoice = (choice: NonNullable<ModelRequest['toolChoice']>) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool' as const, toolName: choice.tool };

type Options = Record<string, unknown>;

/** What the AI SDK's call options do not express, for each provider. */
const providerOptionBuilders: Record<
  ProviderName,
  (modelId: string, request: ModelRequest, marks?: CacheMarks) => Record<string, Options> | undefined
> = {
  openai: (_modelId, { format, reasoning }) => ({
    // OpenAI would keep responses for 30 days. Without `null` the SDK requests a summary with every effort.
    openai: { ...decideStrictness(format), store: false, reasoningSummary: reasoning?.summary ?? null },
  }),
  anthropic: (_modelId, { reasoning }) => toBudgetOption('anthropic', 'thinking', reasoning),
  google: (_modelId, { reasoning: { budgetTokens, summary } = {} }) =>
    budgetTokens !== undefined || summary
      ? {
          google: {
            thinkingConfig: {
              ...(budgetTokens !== undefined && { thinkingBudget: budgetTokens }),
              ...(summary && { includeThoughts: true }),
            },
          },
        }
      : undefined,
  // The SDK takes every model with a budget for one of Anthropic.
  bedrock: (modelId, { reasoning }, marks) => ({
    bedrock: {
      ...(/anthropic|^arn:/.test(modelId) &&
        toBudgetOption('bedrock', 'reasoningConfig', reasoning)?.bedrock),
      ...(marks?.afterTools && { [cachePointAfterTools]: true }),
    },
  }),
  // xAI would keep responses for 30 days.
  xai: () => ({ xai: { store: false } }),
  groq: (modelId, { format, reasoning }) => ({
    groq: {
      ...decideStrictness(format),
      // The models of OpenAI always separate their reasoning, and reject the parameter.
      ...(reasoning?.summary && !modelId.startsWith('openai/') && { reasoningFormat: 'parsed' }),
    },
  }),
  togetherai: (_modelId, { format }) => ({ openaiCompatible: decideStrictness(format) }),
  mistral: (_modelId, { format }) => ({ mistral: decideStrictness(format) }),
  'generic-openai': (_modelId, { format }) => ({ openaiCompatible: decideStrictness(format) }),
};

/** Providers that guarantee a schema reject those that they cannot guarantee. */
function decideStrictness(format: ModelRequest['format']): Options {
  const schema: JsonSchema | undefined = format?.type === 'json' ? format.schema : undefined;
  return schema ? { strictJsonSchema: isStrictSchema(schema) } : {};
}

const toBudgetOption = (name: string, option: string, reasoning: ModelRequest['reasoning']) =>
  reasoning?.budgetTokens === undefined
    ? undefined
    : { [name]: { [option]: { type: 'enabled', budgetTokens: reasoning.budgetTokens } } };

/** Where a request says that the provider shall cache everything before. */
interface CacheMarks {
  /** The mark, as the SDK takes it on a message or a tool. */
  mark: SharedV4ProviderOptions;
  afterTools: boolean;
  after: ReadonlySet<ModelMessage>;
}

/** The providers that cache only what is marked. The others cache the beginnings of requests by themselves, or nothing. */
const marks: Partial<Record<ProviderName, SharedV4ProviderOptions>> = {
  anthropic: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  bedrock: { bedrock: { cachePoint: { type: 'default' } } },
};

/** Marks the end of what is long enough for the model. One that the catalog does not list gets no marks: it may reject them. */
export async function cacheMarks(
  model: Pick<ResolvedModel, 'provider' | 'modelId' | 'promptCaching'>,
  { messages, tools = [], promptCaching = model.promptCaching }: ModelRequest,
): Promise<CacheMarks | undefined> {
  const mark = marks[model.provider];
  if (!mark || promptCaching === 'off') return undefined;
  const tokensMin = await modelCacheTokensMin(model);
  if (tokensMin === undefined) return undefined;
  let tokens = tokensOfTools(tools);
  const afterTools = tools.length > 0 && tokens >= tokensMin;
  const ends = findCacheEnds(messages);
  const after = messages.filter((message) => {
    if (tokens < tokensMin) tokens += tokensOfMessage(message);
    return ends.includes(message) && tokens >= tokensMin;
  });
  return { mark, afterTools, after: new Set(after) };
}

/** How far a provider looks back from a mark for what an earlier request marked, in parts of messages. */
const partsSeen = 20;

/**
 * The end of the system prompt, and the last message but one: the last one differs between requests that go on. And the
 * response that the request before marked, if a mark further on would not find it.
 */
function findCacheEnds(messages: readonly ModelMessage[]): (ModelMessage | undefined)[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const before = messages.slice(0, -2).findLastIndex(({ role }) => role === 'assistant');
  const parts = messages.slice(before + 1, -1).reduce((sum, each) => sum + partCount(each), 0);
  return [
    first > 0 ? messages[first - 1] : undefined,
    parts >= partsSeen ? messages[before] : undefined,
    messages.at(-2),
  ];
}

const partCount = ({ content }: ModelMessage) => (typeof content === 'string' ? 1 : content.length);

const lists = ['anyOf', 'prefixItems'];
const maps = ['properties', '$defs', 'definitions'];

/** Keywords that OpenAI's strict structured outputs reject. */
const unsupported = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
];

/** Each object lists all properties as required and allows no others: OpenAI's rules, the tightest. */
export function isStrictSchema(schema: JsonSchema): boolean {
  if (unsupported.some((keyword) => keyword in schema)) return false;
  if (schema.properties || [schema.type].flat().includes('object')) {
    const { properties = {}, required = [], additionalProperties } = schema;
    const names = Object.keys(properties as object);
    if (additionalProperties !== false || !Array.isArray(required)) return false;
    if (names.some((name) => !required.includes(name))) return false;
  }
  const nested = [
    schema.items,
    ...lists.flatMap((keyword) => schema[keyword] ?? []),
    ...maps.flatMap((keyword) => Object.values((schema[keyword] ?? {}) as object)),
  ];
  return nested.every((each) => !each || typeof each !== 'object' || isStrictSchema(each as JsonSchema));
}

type ProviderOptions = Record<string, Record<string, unknown>>;

/** Where a provider takes whether a model may call several tools in one response. Google and Bedrock have nothing for it. */
const optionsOf: Readonly<Partial<Record<ProviderName, (isParallel: boolean) => ProviderOptions>>> = {
  openai: (parallelToolCalls) => ({ openai: { parallelToolCalls } }),
  anthropic: (isParallel) => ({ anthropic: { disableParallelToolUse: !isParallel } }),
  xai: (parallelToolCalls) => ({ xai: { parallelToolCalls } }),
  groq: (parallelToolCalls) => ({ groq: { parallelToolCalls } }),
  mistral: (parallelToolCalls) => ({ mistral: { parallelToolCalls } }),
  togetherai: (parallel_tool_calls) => ({ togetherai: { parallel_tool_calls } }),
  'generic-openai': (parallel_tool_calls) => ({ 'generic-openai': { parallel_tool_calls } }),
};

/** The options of a provider, with what the request says of parallel tool calls. */
function addParallelTools(
  provider: ProviderName,
  { parallelToolCalls, tools = [] }: Pick<ModelRequest, 'parallelToolCalls' | 'tools'>,
  providerOptions: ProviderOptions | undefined,
): ProviderOptions | undefined {
  const more = parallelToolCalls === undefined || tools.length === 0 ? undefined : optionsOf[provider];
  if (!more) return providerOptions;
  const merged: ProviderOptions = { ...providerOptions };
  for (const [name, options] of Object.entries(more(parallelToolCalls as boolean))) {
    merged[name] = { ...merged[name], ...options };
  }
  return merged;
}
