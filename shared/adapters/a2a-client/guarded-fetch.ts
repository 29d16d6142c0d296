/**
 * The fetch that the A2A SDK uses: through the egress guard, with limits and the run's credentials.
 * What agents send is mended where its meaning is plain, so that the SDK can read it: nulls, missing kinds, states in other
 * letters, a whole answer in place of a stream. Numbers keep their digits. What is not mended fails in the SDK.
 */
import { randomUUID } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';
import * as z from 'zod';
import { isStated } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { markMembers, mayBeInexactIn } from '../../core/json/exact-json.ts';
import { isJsonObject, tryParseJson } from '../../core/json/json.ts';
import { isStream, makeLimitedExchange } from '../net/limited-exchange.ts';
import { type EventJson, readableEvents } from '../net/readable-events.ts';
import { sendableHeaders } from '../net/sendable-headers.ts';
import { dropNulls, mendAnswer } from '../rpc-messages.ts';

const limits = {
  server: 'The agent',
  // With the polls of its task.
  requestsMax: 500,
  linesMax: 50_000,
};

/** Values of the agent, whose numbers keep their digits, marked. */
const exact = new Set(['data', 'metadata']);

/** Errors that the SDK reads: of JSON-RPC, and of the binding to HTTP. */
const ProtocolError = z.object({ error: z.object({ code: z.number(), message: z.string() }) });
const isBusy = (status: number) => status === 429 || status === 503;

type Fetch = typeof globalThis.fetch;

/** A response with an error status that is not an error of the protocol. */
export class HttpFailure extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`The server answered ${status}`);
    this.status = status;
    this.text = text;
  }
}

/** A fetch through the egress guard, with limits and the credentials. */
export function makeA2aFetch(credentials: Readonly<Record<string, string>>): Fetch {
  const credentialHeaders = sendableHeaders(credentials);
  const exchange = makeLimitedExchange(limits);
  return async (url, init) => {
    const asked = parseRequest(init?.body);
    const headers = [...new Headers(init?.headers), ...credentialHeaders];
    const response = await exchange(url, { ...init, headers });
    const { status, body } = response;
    if (status >= 300 && status < 400) {
      throw new StepError('The agent redirects, which is not followed; give the URL of the agent itself');
    }
    if (isStream(response) && body) {
      const events = readableEvents(
        body,
        { event: (message) => mendA2aMessage(message, asked) },
        { who: limits.server, exact },
      );
      return new Response(ReadableStream.from(events) as never, { status, headers: response.headers });
    }
    const text = await response.text();
    if (status >= 400 && (isBusy(status) || !ProtocolError.safeParse(tryParseJson(text)).success)) {
      throw new HttpFailure(status, text);
    }
    const read = tryParseJson(text);
    const message = mayBeInexactIn(text, exact) ? markMembers(read, exact) : read;
    if (!isJsonObject(message) || message.jsonrpc === undefined) {
      const same = message === read ? text : JSON.stringify(message);
      return new Response(body && same, { status, headers: response.headers });
    }
    mendA2aMessage(message, asked);
    return toRequestedForm(message, status, init);
  };
}

/** Some agents answer a request for a stream at once, with all of it. */
function toRequestedForm(message: EventJson, status: number, init: RequestInit | undefined): Response {
  const wantsStream = new Headers(init?.headers).get('accept')?.includes('text/event-stream');
  if (!wantsStream || message.error !== undefined) return Response.json(message, { status });
  const headers = { 'content-type': 'text/event-stream' };
  return new Response(`data: ${JSON.stringify(message)}\n\n`, { status, headers });
}

function parseRequest(body: unknown): AskedA2aRequest {
  const message = typeof body === 'string' ? tryParseJson(body) : undefined;
  return isJsonObject(message) ? message : {};
}

/** The request of JSON-RPC that is being answered. */
interface AskedA2aRequest {
  id?: unknown;
  method?: unknown;
}

/**
 * What agents write otherwise than A2A says, as its SDK reads it, which refuses a whole answer for one member. What carries
 * meaning is read, and the rest is left out. @returns whether it may have changed, or `omit` for an event of an unknown kind
 */
function mendA2aMessage(message: EventJson, { id, method }: AskedA2aRequest): boolean | 'omit' {
  if (!('result' in message || 'error' in message)) return false;
  mendAnswer(message, id);
  if (isStated(message.error)) return true;
  // Versions from 1.0 on have methods without a slash, and name what a result is by a member around it.
  const isNamed = String(method).includes('/') && isJsonObject(message.result);
  return !isNamed || mendResult(message.result as EventJson) || 'omit';
}

const kinds = new Set(['message', 'task', 'status-update', 'artifact-update']);

/** @returns whether it is of a known kind */
function mendResult(result: EventJson): boolean {
  result.kind ??= inferKind(result);
  if (!kinds.has(String(result.kind))) return false;
  dropNulls(result);
  if (result.kind === 'message') mendSaid(result);
  if (isJsonObject(result.status)) mendStatus(result.status);
  for (const artifact of [result.artifact, ...listIn(result.artifacts)]) {
    if (isJsonObject(artifact)) mendArtifact(artifact);
  }
  for (const each of listIn(result.history)) if (isJsonObject(each)) mendSaid(each);
  return true;
}

function inferKind({ parts, status, artifact, taskId, id }: EventJson): string | undefined {
  if (parts !== undefined) return 'message';
  if (artifact !== undefined) return 'artifact-update';
  if (status === undefined) return undefined;
  return taskId === undefined && id !== undefined ? 'task' : 'status-update';
}

function mendStatus(status: EventJson): void {
  dropNulls(status);
  if (isJsonObject(status.message)) mendSaid(status.message);
}

function mendSaid(message: EventJson): void {
  dropNulls(message);
  message.kind = 'message';
  message.messageId ??= randomUUID();
  // An agent answers, whatever it calls itself.
  if (message.role !== 'user') message.role = 'agent';
  message.parts = listIn(message.parts).map(mendPart);
}

function mendArtifact(artifact: EventJson): void {
  dropNulls(artifact);
  artifact.artifactId ??= 'artifact';
  artifact.parts = listIn(artifact.parts).map(mendPart);
}

function mendPart(part: unknown): EventJson {
  if (!isJsonObject(part)) return { kind: 'text', text: String(part) };
  dropNulls(part);
  const { kind, type, text, file, data } = part;
  const named = kind ?? type;
  if (typeof text === 'string' && named !== 'file' && named !== 'data') return { ...part, kind: 'text' };
  if (isJsonObject(file)) return { ...part, kind: 'file' };
  return { ...part, kind: 'data', data: isJsonObject(data) ? data : { ...part } };
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
