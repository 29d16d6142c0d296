/**
 * Calls a resolved model through the AI SDK and yields its response as the events of the model port.
 * Order: client and cache marks, admission by the limits with retries (`provider-call.ts`), then the parts of the response,
 * streamed or whole; at the end the usage, the cost and the message for the next request.
 * The admission is released once, when the response ends, fails or its reader leaves, with the tokens that are known.
 * A stream that ends without a reason is an error. An unusable answer that the provider charges for is reported as a
 * `start` with its charge before the error is thrown.
 * `model-ports.ts` resolves names and calls it; budgets, fallbacks and spans wrap it in `execution/model-calls`.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider';
import * as z from 'zod';
import { createLoadingCache } from '../../core/cache.ts';
import { omitUndefined } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { bigintMark, unmarkNumbers } from '../../core/json/exact-json.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { stripFence } from '../../core/text.ts';
import type {
  AssistantMessage,
  AssistantPart,
  ModelEvent,
  ModelFinish,
  ModelRequest,
  ModelSettings,
} from '../ports/model-port.ts';
import { cacheMarks, toCallOptions } from './call-options.ts';
import { modelPrice } from './catalog.ts';
import { boundCallCost, callCacheSavings, callCost } from './cost.ts';
import { AdmissionFailed, type CallUse, callProvider, type ModelAdmission } from './provider-call.ts';
import { responseCharactersMax } from './providers/model-fetch.ts';
import { type Provider, providers } from './providers/providers.ts';
import { hasSpendLimit, modelCallSource, type ResolvedModel } from './resolved-model.ts';
import { parseUsage, reserveUsage } from './usage.ts';

/** Calls a resolved model. Retries temporary errors (429, 5xx) at most twice. @throws StepError */
export async function* streamModel(
  model: ResolvedModel,
  request: ModelRequest,
  admission?: ModelAdmission,
): AsyncGenerator<ModelEvent, void> {
  let characters = 0;
  let hasBegun = false;
  try {
    for await (const event of streamEvents(model, request, admission)) {
      hasBegun = true;
      if (event.type.endsWith('-delta') && 'text' in event) characters += event.text.length;
      if (characters > responseCharactersMax) throw tooLong();
      yield event;
    }
  } catch (error) {
    if (error instanceof AdmissionFailed || (error instanceof StepError && error.code)) throw error;
    const { findChargedUsage: answeredUsage, toModelCallFailed } = await import('./model-error.ts');
    const answered = hasBegun ? undefined : answeredUsage(error);
    if (answered)
      yield { type: 'start', ...modelCallSource(model), charged: await computeCharge(model, answered) };
    throw toModelCallFailed(error, model, request.signal);
  }
}

const tooLong = () => new StepError(`the response has more than ${responseCharactersMax} characters`);

type Part = LanguageModelV4StreamPart | LanguageModelV4Content;

async function* streamEvents(
  model: ResolvedModel,
  request: ModelRequest,
  admission: ModelAdmission | undefined,
): AsyncGenerator<ModelEvent, void> {
  const names = new Map<string, string>();
  const sources = new Set<string>();
  const collected = new ResponseMessage();
  let text = '';
  let ignored: string[] = [];
  for await (const part of streamParts(model, request, admission)) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'stream-start') ignored = listIgnored(part.warnings);
    if (part.type === 'stream-start' && request.streamed) yield { type: 'start', ...modelCallSource(model) };
    if (part.type === 'finish') {
      if (request.streamed && hasEndedEarly(part.finishReason)) break;
      const said = { text, message: collected.message, ...(ignored.length > 0 && { ignored }) };
      yield { type: 'finish', ...said, ...(await toFinish(model, part)) };
      return;
    }
    if (part.type === 'tool-input-start') names.set(part.id, part.toolName);
    if (part.type === 'source' && isRepeated(part, sources)) continue;
    const event = toEvent(part, names);
    collected.add(part, event?.type === 'tool-call' ? event.input : undefined);
    if (event?.type === 'text-delta') text += event.text;
    if (event) yield event;
  }
  throw new Error('the response ended early');
}

type Finish = Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage'>;

type AnswerPart = Part | ({ type: 'finish' } & Finish);

async function* streamParts(
  model: ResolvedModel,
  request: ModelRequest,
  admission: ModelAdmission | undefined,
): AsyncGenerator<AnswerPart, void> {
  const [client, marks] = await Promise.all([getClient(model, request), cacheMarks(model, request)]);
  const settings = mergeSettings(model, request);
  const options = toCallOptions({ ...request, settings }, model, marks);
  const { wait, signal } = request;
  const reserved = () => reserveUsage(model, { ...request, settings });
  const asked = {
    model,
    tokens: () => reserved().inputTokens + reserved().outputTokens,
    usd: async () => {
      const price = await modelPrice(model);
      return price && boundCallCost(price, reserved());
    },
    wait,
    signal,
  };
  const { answer: parts, end } = await callProvider(admission, asked, () =>
    requestAnswer(client, options, request.streamed),
  );
  let used: CallUse | undefined;
  try {
    for await (const part of parts) {
      if (part.type === 'finish') used = await computeUse(model, part);
      yield part;
    }
  } finally {
    end(used);
  }
}

/** What forecasts and budgets count with as the longest response is what the model is asked for. */
function mergeSettings(
  { settings, statedOutputTokens }: ResolvedModel,
  request: ModelRequest,
): ModelSettings {
  const merged: ModelSettings = { ...settings, ...omitUndefined(request.settings ?? {}) };
  if (statedOutputTokens === undefined) return merged;
  return { ...merged, maxTokens: Math.min(merged.maxTokens ?? Infinity, statedOutputTokens) };
}

async function requestAnswer(
  client: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  isStreamed: boolean,
): Promise<AsyncIterable<AnswerPart> | AnswerPart[]> {
  return isStreamed ? (await client.doStream(options)).stream : toParts(await client.doGenerate(options));
}

const toParts = ({
  content,
  finishReason,
  usage,
  response,
  warnings,
}: LanguageModelV4GenerateResult): AnswerPart[] => [
  { type: 'stream-start', warnings },
  ...content,
  { type: 'finish', finishReason: resolveFinishReason(finishReason, response?.body), usage },
];

async function computeUse(model: ResolvedModel, { usage }: Finish): Promise<CallUse> {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens.total === undefined || outputTokens.total === undefined) return {};
  const tokens = inputTokens.total + outputTokens.total;
  const cost = hasSpendLimit(model) ? (await computeCharge(model, toSaidUsage(usage))).cost : null;
  return { tokens, ...(cost !== null && { usd: cost }) };
}

/** What was asked for in vain. That a model lacks what another has is no surprise to its SDK alone. */
const listIgnored = (warnings: readonly SharedV4Warning[]): string[] =>
  warnings.flatMap((warning) =>
    warning.type === 'unsupported'
      ? [`${warning.feature}${warning.details ? `: ${warning.details}` : ''}`]
      : [],
  );

const clients = createLoadingCache<LanguageModelV4>({ entriesMax: 100 });

/** The SDK's client for a model. Cached, since creating one costs more than a call. */
function getClient({ provider: name, modelId, credentials }: ResolvedModel, request: ModelRequest) {
  const provider: Provider = providers[name];
  const api = provider.apiFor?.(modelId, request);
  return clients(JSON.stringify([name, modelId, credentials, api]), () =>
    provider.model(modelId, credentials, api),
  );
}

function toEvent(part: Part, names: ReadonlyMap<string, string>): ModelEvent | undefined {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { type: part.type, text: part.delta };
    case 'text':
      return { type: 'text-delta', text: part.text };
    case 'reasoning':
      return { type: 'reasoning-delta', text: part.text };
    case 'tool-input-delta':
      return { type: 'tool-call-delta', id: part.id, name: names.get(part.id) ?? '', text: part.delta };
    case 'tool-call': {
      const { toolCallId: id, toolName: name } = part;
      const input = parseInput(part.input);
      const text = part.input.includes(bigintMark) ? JSON.stringify(input) : part.input;
      return { type: 'tool-call', id, name, input, text };
    }
    case 'source':
      return {
        type: 'source',
        id: part.id,
        title: part.title ?? null,
        url: part.sourceType === 'url' ? part.url : null,
      };
    default:
      return undefined;
  }
}

/** Whether a source was reported before: streams repeat them when a text is complete. */
function isRepeated(part: LanguageModelV4Source, reported: Set<string>): boolean {
  const key = part.sourceType === 'url' ? part.url : part.id;
  if (reported.has(key)) return true;
  reported.add(key);
  return false;
}

/** Models write an empty input for tools without parameters, and some put a fence around one. */
const parseInput = (text: string): unknown =>
  text.trim() === '' ? {} : unmarkNumbers(tryParseJson(text) ?? tryParseJson(stripFence(text)));

async function toFinish(
  model: ResolvedModel,
  { finishReason, usage }: Finish,
): Promise<Omit<ModelFinish, 'text' | 'message'>> {
  return {
    ...modelCallSource(model),
    stopReason: plainFinishReason(finishReason),
    ...omitUndefined({ providerReason: finishReason.raw }),
    ...(await computeCharge(model, toSaidUsage(usage))),
  };
}

const toSaidUsage = ({ inputTokens, outputTokens }: Finish['usage']) => ({
  inputTokens: inputTokens.total,
  outputTokens: outputTokens.total,
  cacheReadTokens: inputTokens.cacheRead,
  cacheWriteTokens: inputTokens.cacheWrite,
  reasoningTokens: outputTokens.reasoning,
});

async function computeCharge(
  model: ResolvedModel,
  said: Parameters<typeof parseUsage>[0],
): Promise<Pick<ModelFinish, 'usage' | 'cost' | 'cacheSavings'>> {
  const counted = parseUsage(said, modelCallSource(model).modelUsed);
  const price = counted && (await modelPrice(model));
  return {
    usage: counted ?? null,
    cost: price ? callCost(price, counted) : null,
    ...(price && omitUndefined({ cacheSavings: callCacheSavings(price, counted) })),
  };
}

const Incomplete = z.object({ incomplete_details: z.object({ reason: z.string() }) });

const reasons: Record<string, LanguageModelV4FinishReason['unified']> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

/** The reason in the body of an incomplete response, which xAI's SDK overlooks without streaming. */
function resolveFinishReason(
  reason: LanguageModelV4FinishReason,
  body: unknown,
): LanguageModelV4FinishReason {
  if (reason.raw !== 'incomplete') return reason;
  const raw = Incomplete.safeParse(body).data?.incomplete_details.reason;
  return raw ? { unified: reasons[raw] ?? 'other', raw } : reason;
}

/** Names of servers for the end that the model chose, where their API says `stop`. */
const ends = new Set([
  'stop',
  'eos',
  'eos_token',
  'end',
  'end_turn',
  'stop_sequence',
  'complete',
  'completed',
]);

/** What an SDK makes of a reason that it does not know, or takes for an end. */
function plainFinishReason({ unified, raw }: LanguageModelV4FinishReason): typeof unified {
  // Claude would go on if it were asked to.
  if (raw === 'pause_turn') return 'other';
  return unified === 'other' && ends.has(raw?.toLowerCase() ?? '') ? 'stop' : unified;
}

/** Whether a stream ended before its provider said why: the SDKs report the end of such a stream like any other. */
const hasEndedEarly = ({ unified, raw }: LanguageModelV4FinishReason): boolean =>
  unified === 'interrupted' || (unified === 'other' && raw === undefined);

type Block = Extract<AssistantPart, { text: string }>;

/** Collects the parts of a response, in their order, as a message of the next request. */
class ResponseMessage {
  readonly #parts: AssistantPart[] = [];
  readonly #open = new Map<string, Block>();

  /** @param toolInput The parsed input, if the part is a tool call. */
  add(part: LanguageModelV4StreamPart | LanguageModelV4Content, toolInput?: unknown): void {
    if (part.type === 'tool-call') {
      // Providers take only an object, whatever the model wrote.
      const input = toolInput ?? {};
      this.#parts.push({
        type: part.type,
        id: part.toolCallId,
        name: part.toolName,
        input,
        ...mergeProviderData(part),
      });
    }
    if (part.type === 'text' || part.type === 'reasoning') this.#start(part.type, part.text, part);
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const type = part.type === 'text-start' ? 'text' : 'reasoning';
      this.#open.set(type + part.id, this.#start(type, '', part));
    }
    if (part.type === 'text-delta' || part.type === 'text-end') this.#continue('text', part);
    if (part.type === 'reasoning-delta' || part.type === 'reasoning-end') this.#continue('reasoning', part);
  }

  get message(): AssistantMessage {
    // Some providers reject an empty text.
    const content = this.#parts.filter((part) => part.type === 'tool-call' || part.text || part.providerData);
    return { role: 'assistant', content };
  }

  #start(type: Block['type'], text: string, said: Said): Block {
    const block = { type, text, ...mergeProviderData(said) };
    this.#parts.push(block);
    return block;
  }

  #continue(type: Block['type'], part: Said & { id: string; delta?: string }): void {
    const block = this.#open.get(type + part.id);
    if (!block) return;
    block.text += part.delta ?? '';
    if (part.providerMetadata) Object.assign(block, mergeProviderData(part, block.providerData));
  }
}

type Said = { providerMetadata?: Record<string, Record<string, unknown>> | undefined };

/** The provider data of a part, with that of its earlier pieces. */
function mergeProviderData({ providerMetadata = {} }: Said, earlier: AssistantPart['providerData'] = {}) {
  const added = Object.entries(providerMetadata).map(([provider, data]) => [
    provider,
    { ...(earlier[provider] as object | undefined), ...data },
  ]);
  return added.length > 0 ? { providerData: { ...earlier, ...Object.fromEntries(added) } } : {};
}
