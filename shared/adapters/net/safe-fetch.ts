/**
 * Fetches what a tenant names: steps' requests whole and within limits, and files as they come (`openUrl`).
 * Each address and each redirect, five at most, is checked before it is connected to (`addresses.ts`, `client.ts`); a redirect to
 * another origin loses credentials. Bodies are bounded while they are read. Failures say what the server did, and whether
 * to try again; nothing is repeated here.
 */
import { lookup } from 'node:dns';
import type { Agent, Response } from 'undici';
import { StepError } from '../../core/errors/step-error.ts';
import { readBytes } from '../../core/limited-fetch.ts';
import type { HttpRequest, HttpResponse } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { checkUrl } from './addresses.ts';
import type { EgressClient, Resolve } from './client.ts';
import { decodeText, findEncodingProblem } from './decode-text.ts';
import { fetchFailure, slowServer } from './fetch-failure.ts';
import { loadClient } from './load-client.ts';
import { sendableHeaders } from './sendable-headers.ts';

const redirectsMax = 5;

/** The only way to external servers. Connects to the checked address itself, to prevent DNS rebinding. */
export function makeSafeFetch(resolve: Resolve = lookup): Ports['fetch'] {
  let client: Promise<EgressClient> | undefined;
  return async (request) => {
    client ??= import('./client.ts').then(({ makeClient }) => makeClient(resolve));
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      const { response, url, last } = await follow(await client, { ...request, signal });
      return await toHttpResponse(response, url, last);
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof StepError) throw error;
      if (timeout.aborted) throw slowServer(request);
      throw fetchFailure(error, request.url);
    }
  };
}

export const safeFetch = makeSafeFetch();

/** A file at a URL, as it comes, by the same rules. @throws StepError */
export async function openUrl(
  url: string,
  signal: AbortSignal,
): Promise<{ status: number; body: AsyncIterable<Uint8Array> }> {
  const headers = { accept: '*/*', 'accept-encoding': 'gzip' };
  try {
    const first = { url, method: 'GET', headers, signal, timeoutMs: 0 } as HttpRequest;
    const { response } = await follow(await loadClient(), first);
    return { status: response.status, body: response.body ?? emptyBody() };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StepError ? error : fetchFailure(error, url);
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

async function follow(client: EgressClient, first: HttpRequest) {
  let request = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const url = checkUrl(request.url);
    const response = await send(client.fetch, request, client.agentFor(url)).catch((error) => {
      throw redirects > 0 ? markRedirected(error, request.url) : error;
    });
    const next = createRedirect(request, response.status, response.headers.get('location'));
    if (!next) return { response, url, last: request };
    await response.body?.cancel();
    request = next;
  }
  throw new StepError(`${first.url} redirects more than ${redirectsMax} times`);
}

/** Who redirects has had the request, whatever becomes of the next one. */
function markRedirected(error: unknown, url: string): unknown {
  if ((error as Error).name === 'AbortError' || (error as Error).name === 'TimeoutError') return error;
  const failure = fetchFailure(error, url);
  if (!failure.undone) return failure;
  const { message, retryable, kind, code, cause } = failure;
  return new StepError(message, { retryable, kind, code, cause });
}

const send = (
  fetch: EgressClient['fetch'],
  { url, method, headers, body, signal }: HttpRequest,
  dispatcher: Agent,
): Promise<Response> =>
  fetch(url, {
    method,
    headers: sendableHeaders(headers),
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal,
    dispatcher,
  });

async function toHttpResponse(
  response: Response,
  url: URL,
  { bytesMax, warn }: HttpRequest,
): Promise<HttpResponse> {
  // A response has one header for each cookie; the last one would take the place of the others.
  const cookies = response.headers.getSetCookie();
  const headers: Record<string, string> = {
    ...Object.fromEntries(response.headers),
    ...(cookies.length > 0 && { 'set-cookie': cookies.join(', ') }),
  };
  const bytes = await readBytes(response, bytesMax);
  let text: string | undefined;
  return {
    status: response.status,
    headers,
    url: url.href,
    bytes,
    get text() {
      if (text !== undefined) return text;
      const decoded = decodeText(bytes, headers['content-type']);
      const problem = findEncodingProblem(decoded);
      if (problem) warn?.({ code: 'TEXT_ENCODING', message: `The text of ${url.href} ${problem}` });
      text = decoded.text;
      return text;
    },
  };
}

const redirectStatuses = [301, 302, 303, 307, 308];

/** Headers that may follow a redirect to another origin: none with credentials or origin-specific data. */
const portable = ['accept', 'accept-language', 'content-type', 'user-agent'];

/** The request after a redirect, by the rules of fetch; undefined if the response is no redirect. @throws StepError */
function createRedirect(
  request: HttpRequest,
  status: number,
  location: string | null,
): HttpRequest | undefined {
  if (!redirectStatuses.includes(status) || location === null || !URL.canParse(location, request.url)) return;
  const target = new URL(location, request.url);
  const sameOrigin = target.origin === new URL(request.url).origin;
  const becomesGet = status === 303 || (status < 303 && request.method === 'POST');
  if (request.sameOriginBody && !sameOrigin && !becomesGet) {
    throw new StepError(
      `The response redirects a body with a secret to another origin, ${target.origin}; request that URL directly`,
    );
  }
  const headers = Object.entries(request.headers).filter(([headerName]) => {
    const name = headerName.toLowerCase();
    return (sameOrigin || portable.includes(name)) && !(becomesGet && name.startsWith('content-'));
  });
  return {
    ...request,
    url: target.href,
    headers: Object.fromEntries(headers),
    ...(becomesGet && { method: 'GET', body: undefined }),
  };
}
