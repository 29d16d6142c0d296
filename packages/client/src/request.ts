import type { Operation } from './operation.ts';

/** A request as the caller wrote it, whatever its operation. */
export interface AnyRequest {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  /** JSON, or an object with a file in it. */
  body?: unknown;
  signal?: AbortSignal;
  keepalive?: boolean;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** Whether the response is a stream of events. */
export type Wanted = 'stream' | 'whole';

export function requestUrl(
  baseUrl: string,
  { path }: Operation,
  { params = {}, query = {} }: AnyRequest,
): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(baseUrl.replace(/\/$/, '') + filled);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

interface Content {
  headers?: Record<string, string>;
  body?: string | ArrayBuffer;
}

export async function encodeBody(body: unknown): Promise<Content> {
  if (body === undefined) return {};
  const members = Object.entries(Object(body)).filter(([, value]) => value !== undefined);
  if (!members.some(([, value]) => value instanceof Blob)) {
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }
  const form = new FormData();
  for (const [name, value] of members) form.set(name, value instanceof Blob ? value : String(value));
  // Encoded once: each time, a form has another boundary, and a retry has the same bytes.
  const whole = new Response(form);
  return {
    headers: { 'content-type': whole.headers.get('content-type') ?? '' },
    body: await whole.arrayBuffer(),
  };
}

/** The body that asks for a stream, or for one response. */
export function bodyFor(wanted: Wanted, { stream }: Operation, body: unknown): unknown {
  // By default, the API streams.
  const streamResponse = wanted === 'stream' ? undefined : false;
  const members = body as { options?: object } | undefined;
  if (stream === 'member') return { ...members, streamResponse };
  if (stream === 'options') return { ...members, options: { ...members?.options, streamResponse } };
  return body;
}

/** Pages that are served without TLS have no `crypto.randomUUID`. */
export const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
