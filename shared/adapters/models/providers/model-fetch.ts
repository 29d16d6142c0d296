/**
 * The fetch that the SDKs of model providers get: limits the size of responses, and repairs what servers write otherwise
 * than the API that they follow.
 * The API is recognised by the path of the address. A whole response is parsed, repaired and written again only if it
 * changed; a stream is repaired event by event, and events that the SDK does not know are left out. An answer that states
 * an error gets an error status. Numbers in the arguments of tools keep their digits, marked (`core/json/exact-json.ts`).
 * `providers.ts` gives it to each provider.
 */
import { isStated } from '../../../core/defined.ts';
import { mayBeInexactIn, parseExactIn, unmarkNumbers } from '../../../core/json/exact-json.ts';
import { isJsonObject, parseAnswerJson } from '../../../core/json/json.ts';
import { type EventJson, type EventReader, readableEvents } from '../../net/readable-events.ts';
import { makeStreamingFetch } from '../../net/streaming-fetch.ts';
import { readStatedError } from '../../stated-error.ts';

/** The longest text of a response, equal to the limit for scripts and templates. */
export const responseCharactersMax = 4_000_000;

/** A streamed response has some 300 bytes of JSON for every few characters. */
const bytesMax = { whole: 10_000_000, streamed: 50_000_000 };

/** What a fetch is for. 500 texts may have vectors of 4,096 numbers. */
export type FetchKind = keyof typeof bytesMaxOf;
const bytesMaxOf = {
  model: (isStream: boolean) => (isStream ? bytesMax.streamed : bytesMax.whole),
  embedding: () => 50_000_000,
};

/** A fetch for provider SDKs, which get answers as they can read them. @param guarded Reaches only public addresses. */
export const makeModelFetch = (kind: FetchKind, guarded: boolean) =>
  makeStreamingFetch(bytesMaxOf[kind], guarded, kind === 'model' ? readable : undefined);

const readable = { whole: readableAnswer, stream: readableStream };

/** An answer that states an error is one, whatever its status says. */
function readableAnswer(content: Buffer, url: string, status: number): { content: Buffer; status: number } {
  if (status >= 400) return { content, status };
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const value = parseAnswerJson(text, 'The model', (json) => parseExactIn(json, inputs));
  const isListOfOne = Array.isArray(value) && value.length === 1;
  const answer: unknown = isListOfOne ? value[0] : value;
  if (!isJsonObject(answer)) return { content, status };
  if (answer.error) return { content, status: readStatus(answer.error) };
  const isChanged = answerReader(url)?.whole(answer) || isListOfOne || mayBeInexactIn(text, inputs);
  return { content: isChanged ? Buffer.from(JSON.stringify(answer)) : content, status };
}

/** Gemini names the status of HTTP as the code of an error. */
function readStatus(error: unknown): number {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const named = [code, status].map(Number).find((each) => each >= 400 && each < 600);
  return named ?? 502;
}

function readableStream(chunks: AsyncIterable<Uint8Array>, url: string): AsyncIterable<Uint8Array> {
  const reader = answerReader(url);
  return reader ? readableEvents(chunks, reader, { who: 'The model', exact: inputs }) : chunks;
}

/** The members that are arguments of a tool. The rest is for the SDK, which knows no bigints. */
const inputs = new Set(['args', 'arguments', 'input']);

/**
 * What model servers write otherwise than the API that they follow says, as its SDK reads it. SDKs refuse a whole answer for
 * one member of another type, or for an event that is new. Here what carries meaning is read, and the rest is left out.
 * Sources: reports to llama.cpp, vLLM, LiteLLM, cline and the AI SDK; "Versioning" of Anthropic, whose clients ignore new
 * events.
 */
export interface AnswerReader extends EventReader {
  /** Mends an answer without streaming. @returns whether it has changed */
  whole: (answer: EventJson) => boolean;
}

/** Of the API that an address belongs to, for one answer. */
function answerReader(url: string): AnswerReader | undefined {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/chat/completions')) return chatReader();
  if (pathname.endsWith('/messages')) return messagesReader();
  return pathname.endsWith('GenerateContent') ? geminiReader : undefined;
}

const geminiReader: AnswerReader = { whole: () => false, event: () => false };

function chatReader(): AnswerReader {
  let last: EventJson | undefined;
  let isFinished = false;
  let hasCalls = false;
  return {
    whole: (answer) => trackChanges((put) => mendChat(answer, 'message', put)),
    event(event) {
      if (isStated(event.error)) return false;
      const failure = readFailure(event);
      if (failure !== undefined) return trackChanges((put) => put(event, 'error', { message: failure }));
      const isChanged = trackChanges((put) => mendChat(event, 'delta', put));
      for (const { finish_reason: reason, delta } of event.choices as EventJson[]) {
        last = event;
        isFinished ||= isStated(reason) && reason !== '';
        hasCalls ||= isJsonObject(delta) && isStated(delta.tool_calls);
      }
      return isChanged;
    },
    // What was cut has no such end.
    beforeDone: () =>
      last && !isFinished
        ? { ...last, choices: [{ index: 0, delta: {}, finish_reason: hasCalls ? 'tool_calls' : 'stop' }] }
        : undefined,
  };
}

/** The words of an event that is an error in another form than OpenAI's. */
const readFailure = (event: EventJson): string | undefined =>
  'choices' in event || 'usage' in event || 'object' in event ? undefined : readStatedError(event).words;

type Put = (target: EventJson, name: string, value: unknown) => void;

function trackChanges(mend: (put: Put) => void): boolean {
  let isChanged = false;
  mend((target, name, value) => {
    if (target[name] === value) return;
    target[name] = value;
    isChanged = true;
  });
  return isChanged;
}

/** Chat completions, whole (`message`) and in pieces (`delta`). */
function mendChat(answer: EventJson, content: 'message' | 'delta', put: Put): void {
  const isWhole = content === 'message';
  for (const name of ['id', 'model']) put(answer, name, toTextOrNull(answer[name]));
  put(answer, 'created', typeof answer.created === 'number' ? answer.created : undefined);
  if (isStated(answer.usage)) mendUsage(answer.usage, put);
  // An event that counts tokens has no choices. A whole answer without any is none.
  if (!isWhole && !Array.isArray(answer.choices)) put(answer, 'choices', []);
  if (!Array.isArray(answer.choices)) return;
  for (const [index, choice] of answer.choices.entries()) {
    if (!isJsonObject(choice)) continue;
    put(choice, 'index', toNumber(choice.index) ?? index);
    put(choice, 'logprobs', undefined);
    put(choice, 'finish_reason', typeof choice.finish_reason === 'string' ? choice.finish_reason : null);
    if (!isWhole && !isStated(choice.delta)) put(choice, 'delta', {});
    const said = choice[content];
    if (isJsonObject(said)) mendMessage(said, isWhole, put);
  }
}

function mendMessage(message: EventJson, isWhole: boolean, put: Put): void {
  // Nobody but the model answers. Some servers call it `model` or `ai`.
  if (message.role !== undefined) put(message, 'role', 'assistant');
  put(message, 'content', toContent(message.content));
  for (const name of ['reasoning', 'reasoning_content', 'refusal'])
    put(message, name, toTextOrNull(message[name]));
  const { tool_calls: calls, annotations } = message;
  const called = Array.isArray(calls) ? calls.filter(isJsonObject) : [];
  if (isStated(calls) && !(Array.isArray(calls) && called.length === calls.length)) {
    put(message, 'tool_calls', called);
  }
  for (const [index, call] of called.entries()) mendCall(call, index, isWhole, put);
  if (isStated(annotations) && !(Array.isArray(annotations) && annotations.every(isCitation))) {
    put(message, 'annotations', Array.isArray(annotations) ? annotations.filter(isCitation) : undefined);
  }
}

function mendCall(call: EventJson, index: number, isWhole: boolean, put: Put): void {
  put(call, 'id', toTextOrNull(call.id));
  if (isWhole) put(call, 'type', 'function');
  else put(call, 'index', toNumber(call.index) ?? index);
  if (!isJsonObject(call.function)) return;
  const { arguments: written } = call.function;
  if (isWhole || isStated(written)) put(call.function, 'arguments', isStated(written) ? toText(written) : '');
}

/** Lists of parts stay: the SDKs of those who send them read them. */
function toContent(content: unknown): unknown {
  if (typeof content === 'number' || typeof content === 'boolean') return String(content);
  return isJsonObject(content) ? (toTextOrNull(content.text) ?? JSON.stringify(content)) : content;
}

/** Counts of tokens, and those of their details. */
function mendUsage(usage: unknown, put: Put): void {
  if (!isJsonObject(usage)) return;
  for (const [name, value] of Object.entries(usage)) {
    if (name.endsWith('_details')) mendUsage(value, put);
    else if (name.endsWith('_tokens') && isStated(value)) put(usage, name, toNumber(value));
  }
}

const isCitation = (annotation: unknown): boolean =>
  isJsonObject(annotation) &&
  annotation.type === 'url_citation' &&
  isJsonObject(annotation.url_citation) &&
  typeof annotation.url_citation.url === 'string' &&
  typeof annotation.url_citation.title === 'string' &&
  typeof annotation.url_citation.start_index === 'number' &&
  typeof annotation.url_citation.end_index === 'number';

/** Anthropic's messages. Requests name no tools that run at Anthropic, so their blocks are not among these. */
const blockTypes = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const deltaTypes = new Set([
  'text_delta',
  'input_json_delta',
  'thinking_delta',
  'signature_delta',
  'citations_delta',
]);
const eventTypes = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'ping',
  'error',
]);

const hasTypeIn = (types: ReadonlySet<unknown>, value: unknown) =>
  isJsonObject(value) && types.has(value.type);

function messagesReader(): AnswerReader {
  const omitted = new Set<unknown>();
  return {
    whole: (answer) =>
      trackChanges((put) => {
        const { content, stop_reason: reason, stop_details: details } = answer;
        if (!Array.isArray(content)) return;
        const blocks = content.filter((block) => hasTypeIn(blockTypes, block));
        if (blocks.length < content.length) put(answer, 'content', blocks);
        // Why Claude refuses, which its SDK leaves out.
        const why = reason === 'refusal' && isJsonObject(details) && toTextOrNull(details.explanation);
        if (why) put(answer, 'content', [...blocks, { type: 'text', text: why }]);
      }),
    event({ type, index, content_block: block, delta }) {
      if (!eventTypes.has(String(type))) return 'omit';
      if (type === 'content_block_start' && !hasTypeIn(blockTypes, block)) omitted.add(index);
      if (type === 'content_block_delta' && !hasTypeIn(deltaTypes, delta)) return 'omit';
      return String(type).startsWith('content_block_') && omitted.has(index) ? 'omit' : false;
    },
  };
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(unmarkNumbers(value)));

const toTextOrNull = (value: unknown): string | null | undefined =>
  typeof value === 'string' || value === null ? value : typeof value === 'number' ? String(value) : undefined;

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
