import type * as z from 'zod';
import type { StreamedBody } from './streamed-body.ts';

type Statuses = 200 | 201 | 202 | 204;
/** The schemas of an endpoint's JSON bodies, by status. */
export type Bodies = { readonly [Status in Statuses]?: z.ZodType };

interface JsonResponse {
  kind: 'json';
  bodies: Bodies;
  /** For what is public. Without it, nobody may store a response. */
  cached?: Caching;
}

export interface Caching {
  maxAgeSeconds: number;
  /** The request header on which the body depends. */
  varies?: string;
  /** What the ETag stands for. Default: the body. */
  meaningOf?: (body: never) => unknown;
}

/** The address of another resource, as a 302. */
export interface RedirectResponse {
  kind: 'redirect';
  /** How long caches may keep it; null if nobody may. */
  maxAgeSeconds: number | null;
}

export interface Redirection {
  location: string;
  cookie: string;
}

interface SseResponse {
  kind: 'sse';
  events: z.ZodType;
  /** The JSON body that callers can request instead of the events. */
  json?: z.ZodType;
  /** The bodies of statuses other than 200, which are not streamed. */
  bodies?: Bodies;
}

/** A body of another media type, streamed while it is produced. */
interface StreamResponse {
  kind: 'stream';
  mediaType: string;
  body: z.ZodType;
  bodies?: Bodies;
  /** A status that it may have instead of 200, without a body. */
  emptyStatus?: 202;
}

/** The four kinds of responses. Each determines the handler's result: see {@link HandlerResult}. */
export type EndpointResponse = JsonResponse | RedirectResponse | SseResponse | StreamResponse;

/** The result of a handler: the body, or status and body if several are declared; an address; or a streamed body. */
export type HandlerResult<R extends EndpointResponse> = R extends JsonResponse
  ? IsUnion<keyof R['bodies']> extends true
    ? StatusAndBody<R['bodies']>
    : Input<R['bodies'][keyof R['bodies']]>
  : R extends RedirectResponse
    ? string | Redirection
    : R extends { kind: 'stream' | 'sse'; bodies: infer B extends Bodies }
      ? StreamedBody | StatusAndBody<B>
      : StreamedBody;

type StatusAndBody<B extends Bodies> = { [S in keyof B]: { status: S; body: Input<B[S]> } }[keyof B];
type Input<S> = S extends z.ZodType ? z.input<S> : never;
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

export const isStreamed = ({ response: { kind } }: { response: EndpointResponse }) =>
  kind === 'sse' || kind === 'stream';
