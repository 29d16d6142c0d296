import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type EmbeddingsRequest, toEmbeddings } from './embeddings.ts';

/** The members of a chat completions request that the stand-in reads. */
export interface ChatRequest {
  model: string;
  messages: ModelRequestMessage[];
  stream?: boolean;
  response_format?: { type: string };
  tools?: { function: { name: string } }[];
  tool_choice?: unknown;
}

export interface ModelRequestMessage {
  role: string;
  /** A list of parts if the message has images or files; null if it only calls tools. */
  content: string | { type: string; text?: string }[] | null;
  tool_calls?: { function: { name: string; arguments: string } }[];
}

/** The text of the last message. */
export const lastText = ({ messages }: Pick<ChatRequest, 'messages'>): string => {
  const last = messages.at(-1);
  return last ? requestMessageText(last) : '';
};

/** A response with tool calls. */
export interface ToolCallAnswer {
  text?: string;
  /** Arguments that are a text are sent as they are, valid JSON or not. */
  toolCalls: { id?: string; name: string; arguments: object | string }[];
  /** Default: `tool_calls` if it has any, else `stop`. */
  finishReason?: string;
}

/** A response with an error status. */
export interface FailedAnswer {
  status: number;
  message?: string;
}

type StandInAnswer = string | ToolCallAnswer | FailedAnswer;

/** The text of a message. */
export const requestMessageText = ({ content }: ModelRequestMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

export interface StandInOptions {
  port?: number;
  answer?: (request: ChatRequest, call: number) => StandInAnswer;
  delayMs?: number;
  /** Pause after each piece of a streamed response. */
  pieceDelayMs?: number;
  /** Replaces each streamed piece by the time at which it is sent (Unix ms). */
  stamped?: boolean;
  /** Percentage of calls that never get a response, spread evenly. */
  hangPercent?: number;
  /** Percentage of calls that fail, spread evenly. */
  failurePercent?: number;
  failureStatus?: number;
  failureMessage?: string;
  /** `retry-after-ms` of a failed call. */
  retryAfterMs?: number;
  /** `hang`: never responds. `nonsense`: responds 200 with an HTML page. `no-usage`: omits the token counts. */
  misbehave?: 'hang' | 'nonsense' | 'no-usage';
  /** Reported instead of the estimated token counts. */
  usage?: object;
}

const behaviours = [
  ...(['answer', 'delayMs', 'pieceDelayMs', 'stamped', 'misbehave', 'usage', 'retryAfterMs'] as const),
  ...(['hangPercent', 'failurePercent', 'failureStatus', 'failureMessage'] as const),
] satisfies (keyof StandInOptions)[];

/** A copy, also of members that are computed whenever they are read. */
const asTheyAre = (options: StandInOptions): StandInOptions =>
  Object.fromEntries(behaviours.map((name) => [name, options[name]]));

/** A loopback server that implements OpenAI's chat completions and embeddings without a model. */
export async function startModelStandIn(options: StandInOptions = {}) {
  const requests: ChatRequest[] = [];
  const embeddings: EmbeddingsRequest[] = [];
  let gone = 0;
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) gone++;
    });
    const answering = request.url?.endsWith('/embeddings')
      ? embed(request, response, options, embeddings)
      : respond(request, response, options, requests);
    answering.catch((error: Error) => response.destroy(error));
  });
  // A client whose process is busy for long finds its connections open.
  server.keepAliveTimeout = 60_000;
  await listening(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** Chat requests, oldest first. May be emptied. */
    requests,
    /** How many clients disconnected before the response was complete. */
    gone: () => gone,
    /** Embedding requests, oldest first. */
    embeddings,
    /** May be changed at any time. */
    options,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const listening = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  current: StandInOptions,
  requests: ChatRequest[],
): Promise<void> {
  const chat = JSON.parse(await text(request)) as ChatRequest;
  const call = requests.push(chat);
  // Read once: they may change while the response waits.
  const options = asTheyAre(current);
  if (await misbehaved(response, call, options)) return;
  const { answer = plausibleAnswer, misbehave } = options;
  const given = answer(chat, call);
  if (typeof given === 'object' && 'status' in given) {
    const { status, message = 'The model failed' } = given;
    return json(response, status, { error: { message, type: 'server_error' } });
  }
  const content = typeof given === 'string' ? given : (given.text ?? '');
  const tool_calls = typeof given === 'string' ? [] : toolCallsOf(given, call);
  const usage = misbehave === 'no-usage' ? undefined : (options.usage ?? usageOf(chat, content));
  const finish_reason =
    (typeof given === 'object' && given.finishReason) || (tool_calls.length > 0 ? 'tool_calls' : 'stop');
  const header = {
    id: `chatcmpl-stand-in-${call}`,
    created: Math.floor(Date.now() / 1000),
    model: chat.model,
  };
  if (chat.stream) return stream(response, header, { content, tool_calls, finish_reason }, usage, options);
  const message = { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) };
  const choices = [{ index: 0, message, finish_reason }];
  json(response, 200, { ...header, object: 'chat.completion', choices, usage });
}

const toolCallsOf = ({ toolCalls }: ToolCallAnswer, call: number) =>
  toolCalls.map(({ id, name, arguments: args }, index) => ({
    id: id ?? `call_${call}_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));

async function embed(
  request: IncomingMessage,
  response: ServerResponse,
  current: StandInOptions,
  requests: EmbeddingsRequest[],
): Promise<void> {
  const asked = JSON.parse(await text(request)) as EmbeddingsRequest;
  const call = requests.push(asked);
  const options = asTheyAre(current);
  if (await misbehaved(response, call, options)) return;
  const tokens = [asked.input].flat().reduce((sum, words) => sum + tokensIn(words), 0);
  const usage =
    options.misbehave === 'no-usage' ? undefined : { prompt_tokens: tokens, total_tokens: tokens };
  json(response, 200, { object: 'list', model: asked.model, data: toEmbeddings(asked), usage });
}

/** Misbehaves as the options say. @returns whether that replaces the response. */
async function misbehaved(response: ServerResponse, call: number, options: StandInOptions): Promise<boolean> {
  const { misbehave, delayMs = 0, failurePercent = 0, failureStatus = 500, hangPercent = 0 } = options;
  if (misbehave === 'hang' || isChosen(call, hangPercent)) return true;
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (misbehave === 'nonsense') response.end('<html>Not the page you are looking for</html>');
  else if (isChosen(call, failurePercent)) fail(response, failureStatus, options);
  return response.writableEnded;
}

const isChosen = (call: number, percent: number) =>
  Math.floor((call * percent) / 100) > Math.floor(((call - 1) * percent) / 100);

function fail(
  response: ServerResponse,
  status: number,
  { failureMessage, retryAfterMs = 1 }: StandInOptions,
) {
  response.setHeader('retry-after-ms', retryAfterMs);
  json(response, status, {
    error: { message: failureMessage ?? 'The stand-in is configured to fail', type: 'stand_in' },
  });
}

function json(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function stream(
  response: ServerResponse,
  header: object,
  {
    content,
    tool_calls,
    finish_reason,
  }: { content: string; tool_calls: ReturnType<typeof toolCallsOf>; finish_reason: string },
  usage: object | undefined,
  { pieceDelayMs = 0, stamped = false }: StandInOptions,
) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choices: object[], rest = {}) => {
    const chunk = { ...header, object: 'chat.completion.chunk', choices, ...rest };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const piece of content.match(/\S+\s*/g) ?? []) {
    const said = stamped ? `${Date.now()} ` : piece;
    send([{ index: 0, delta: { role: 'assistant', content: said }, finish_reason: null }]);
    if (pieceDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, pieceDelayMs));
    if (response.destroyed) return;
  }
  for (const [index, { function: called, ...start }] of tool_calls.entries()) {
    const pieces = called.arguments.match(/.{1,8}/gs) ?? [];
    const delta = (more: object) =>
      send([{ index: 0, delta: { tool_calls: [{ index, ...more }] }, finish_reason: null }]);
    delta({ ...start, function: { name: called.name, arguments: '' } });
    for (const piece of pieces) delta({ function: { arguments: piece } });
  }
  send([{ index: 0, delta: {}, finish_reason }], { usage });
  response.end('data: [DONE]\n\n');
}

/** A token has about four characters. */
const tokensIn = (words: string) => Math.ceil(words.length / 4);

function usageOf({ messages }: ChatRequest, content: string) {
  const prompt_tokens = messages.reduce((sum, message) => sum + tokensIn(requestMessageText(message)), 0);
  const completion_tokens = tokensIn(content);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** A sentence or JSON of the prompt's longer words, which shows that the right prompt arrived. */
export function plausibleAnswer({ messages, response_format }: ChatRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  const prompt = last ? requestMessageText(last) : '';
  const words = [...new Set(prompt.match(/[\p{L}\p{N}]{5,}/gu) ?? ['nothing'])].slice(0, 6);
  const summary = `In short: ${words.join(', ')}.`;
  return response_format?.type.startsWith('json') ? JSON.stringify({ summary, keywords: words }) : summary;
}

if (import.meta.main) {
  const delayMs = Number(process.env.MODEL_DELAY_MS ?? 0);
  const { url } = await startModelStandIn({ port: Number(process.env.PORT ?? 4010), delayMs });
  process.stdout.write(`GENERIC_OPENAI_BASE_URL=${url}\n`);
}
