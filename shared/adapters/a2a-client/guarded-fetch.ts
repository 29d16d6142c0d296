import { ReadableStream } from 'node:stream/web';
import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { jsonIn } from '../../core/json/json.ts';
import { sendableHeaders } from '../net/sendable-headers.ts';
import { isStreamType, streamingFetch } from '../net/streaming-fetch.ts';

/** Of one response, or one stream. */
const bytesMax = 5_000_000;

/** Of one stream. */
const linesMax = 50_000;

/** Of one message, with the polls of its task. */
const requestsMax = 500;

const egress = streamingFetch(() => bytesMax, true);

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
export function guardedFetch(credentials: Readonly<Record<string, string>>): Fetch {
  const own = sendableHeaders(credentials);
  let requests = 0;
  return async (url, init) => {
    requests += 1;
    if (requests > requestsMax) throw new StepError(`The agent needs more than ${requestsMax} requests`);
    const headers = [...new Headers(init?.headers), ...own];
    const response = await egress(url, { ...init, headers });
    const { status, body } = response;
    if (status >= 300 && status < 400) {
      throw new StepError('The agent redirects, which is not followed; give the URL of the agent itself');
    }
    if (body && isStreamType(response.headers.get('content-type') ?? '')) {
      return new Response(ReadableStream.from(watched(body)) as never, {
        status,
        headers: response.headers,
      });
    }
    const text = await response.text();
    if (status >= 400 && (isBusy(status) || !ProtocolError.safeParse(jsonIn(text)).success)) {
      throw new HttpFailure(status, text);
    }
    return new Response(body && text, { status, headers: response.headers });
  };
}

async function* watched(body: AsyncIterable<Uint8Array>) {
  let lines = 0;
  for await (const chunk of body) {
    for (const byte of chunk) if (byte === 10) lines += 1;
    if (lines > linesMax) throw new StepError(`The agent streams more than ${linesMax} lines`);
    yield chunk;
  }
}
