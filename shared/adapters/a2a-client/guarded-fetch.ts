import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { jsonIn } from '../../core/json/json.ts';
import { isStream, limitedExchange } from '../net/limited-exchange.ts';
import { sendableHeaders } from '../net/sendable-headers.ts';

const limits = {
  server: 'The agent',
  // With the polls of its task.
  requestsMax: 500,
  linesMax: 50_000,
  exactMembers: new Set(['data', 'metadata']),
};

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
export function guardedA2aFetch(credentials: Readonly<Record<string, string>>): Fetch {
  const own = sendableHeaders(credentials);
  const exchange = limitedExchange(limits);
  return async (url, init) => {
    const headers = [...new Headers(init?.headers), ...own];
    const response = await exchange(url, { ...init, headers });
    const { status, body } = response;
    if (status >= 300 && status < 400) {
      throw new StepError('The agent redirects, which is not followed; give the URL of the agent itself');
    }
    if (isStream(response)) return response;
    const text = await response.text();
    if (status >= 400 && (isBusy(status) || !ProtocolError.safeParse(jsonIn(text)).success)) {
      throw new HttpFailure(status, text);
    }
    return new Response(body && text, { status, headers: response.headers });
  };
}
