import { ApiError, ConnectionError } from './errors.ts';
import type { Operation } from './operation.ts';
import {
  type AnyRequest,
  bodyFor,
  encodeBody,
  newIdempotencyKey,
  requestUrl,
  type Wanted,
} from './request.ts';
import { isNetworkError, type Retries, sendWithRetries } from './retries.ts';

export interface TransportOptions {
  baseUrl: string;
  /** The credential, if there is one. */
  apiKey: () => Promise<string | undefined>;
  fetch: typeof fetch;
  retries: Retries;
}

/** Sends requests. @throws ApiError unless the status is 2xx, ConnectionError if there is no response */
export const transport =
  ({ baseUrl, apiKey, fetch, retries }: TransportOptions) =>
  async (id: string, operation: Operation, request: AnyRequest, wanted: Wanted): Promise<Response> => {
    const { method, takesKey } = operation;
    const { idempotencyKey = newIdempotencyKey(), signal, keepalive } = request;
    const { headers, body } = await encodeBody(bodyFor(wanted, operation, request.body));
    const credential = await apiKey();
    const init: RequestInit = {
      method,
      headers: {
        ...headers,
        ...(takesKey && { 'idempotency-key': idempotencyKey }),
        ...(wanted === 'stream' && { accept: 'text/event-stream' }),
        ...(credential && { authorization: `Bearer ${credential}` }),
        ...request.headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(keepalive && { keepalive }),
    };
    const url = requestUrl(baseUrl, operation, request);
    const max = takesKey || method === 'GET' ? retries.max : 0;
    const send = () => sendWithRetries(() => fetch(url, init), { ...retries, max }, signal);
    const response = await unlessLost(id, send);
    if (response.ok) return response;
    const requestId = response.headers.get('x-amzn-requestid') ?? undefined;
    throw new ApiError(id, response.status, await contentIn(response), requestId);
  };

/** Work that waits for the network. @throws ConnectionError for network errors, others as they are */
export async function unlessLost<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isNetworkError(error) ? new ConnectionError(id, error) : error;
  }
}

/** JSON is parsed; JSON Lines and CSV are text. */
export async function contentIn(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  return /\bjson\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text;
}
