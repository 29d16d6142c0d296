import { lookup } from 'node:dns';
import type { Agent, Response } from 'undici';
import { readBytes } from '../../core/limited-fetch.ts';
import { StepError } from '../../core/step-error.ts';
import type { HttpRequest, HttpResponse, Ports } from '../ports.ts';
import { checkedUrl } from './checked-url.ts';
import type { Client, Resolve } from './client.ts';
import { decodeText } from './decode-text.ts';
import { redirectedRequest } from './redirect.ts';
import { userAgent } from './user-agent.ts';

const redirectsMax = 5;

/** Transport headers, which the client sets. */
const ownHeaders = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);

/**
 * The only way to external servers. Resolves names, checks every address, and connects to the checked address itself,
 * to prevent DNS rebinding.
 */
export function makeSafeFetch(resolve: Resolve = lookup): Ports['fetch'] {
  let client: Promise<Client> | undefined;
  return async (request) => {
    client ??= import('./client.ts').then(({ makeClient }) => makeClient(resolve));
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      return await follow(await client, { ...request, signal });
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof StepError) throw error;
      if (timeout.aborted) throw slow(request);
      throw translated(error, request.url);
    }
  };
}

export const safeFetch = makeSafeFetch();

async function follow(client: Client, first: HttpRequest): Promise<HttpResponse> {
  let request = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const url = checkedUrl(request.url);
    const response = await send(client.fetch, request, client.agentFor(url));
    const next = redirectedRequest(request, response.status, response.headers.get('location'));
    if (!next) return answerOf(response, url, request.bytesMax);
    await response.body?.cancel();
    request = next;
  }
  throw new StepError(`${first.url} redirects more than ${redirectsMax} times`);
}

const send = (
  fetch: Client['fetch'],
  { url, method, headers, body, signal }: HttpRequest,
  dispatcher: Agent,
): Promise<Response> =>
  fetch(url, {
    method,
    headers: headersOf(headers),
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal,
    dispatcher,
  });

function headersOf(given: HttpRequest['headers']): [string, string][] {
  const headers = Object.entries(given).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  for (const [name, value] of headers) refuseUnsendable(name, value);
  const saysWho = headers.some(([name]) => name.toLowerCase() === 'user-agent');
  return saysWho ? headers : [['user-agent', userAgent], ...headers];
}

/**
 * Surrounding whitespace is not sent. The error of fetch for invalid characters would reveal the value, which may be
 * secret.
 */
function refuseUnsendable(name: string, value: string): void {
  if (!/[^\t\n\r -~\u0080-\u00ff]/.test(value) && !/[\n\r]/.test(value.trim())) return;
  throw new StepError(
    `The value of the header ${name} has characters that headers cannot contain: only printable Latin-1 (ISO 8859-1) in one line is allowed; encode others`,
  );
}

async function answerOf(response: Response, url: URL, bytesMax: number | undefined): Promise<HttpResponse> {
  const headers = Object.fromEntries(response.headers);
  const bytes = await readBytes(response, bytesMax);
  let text: string | undefined;
  return {
    status: response.status,
    headers,
    url: url.href,
    bytes,
    get text() {
      text ??= decodeText(bytes, headers['content-type']);
      return text;
    },
  };
}

const slow = ({ url, timeoutMs }: HttpRequest) =>
  new StepError(`${url} did not answer within ${timeoutMs} ms`, { retryable: true });

/** fetch hides the reason in the causes of its error. */
function translated(error: unknown, url: string): StepError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StepError) return cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code) return new StepError(`${url} cannot be reached: ${code}`, { retryable: true, cause: error });
  }
  const { message, cause } = error as Error;
  const words = cause instanceof Error ? cause.message : message;
  return new StepError(`${url} cannot be fetched: ${words}`, { cause: error });
}
