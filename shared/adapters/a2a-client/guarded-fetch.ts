import { ReadableStream } from 'node:stream/web';
import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { markMembers, mayBeInexactIn } from '../../core/json/exact-json.ts';
import { isJsonObject, tryParseJson } from '../../core/json/json.ts';
import { isStream, makeLimitedExchange } from '../net/limited-exchange.ts';
import { type EventJson, readableEvents } from '../net/readable-events.ts';
import { sendableHeaders } from '../net/sendable-headers.ts';
import { type AskedA2aRequest, mendA2aMessage } from './readable-messages.ts';

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
