import type * as z from 'zod';
import type { StreamedBody } from './streamed-body.ts';

type Statuses = 200 | 201 | 202 | 204;
/** The schemas of an endpoint's JSON bodies, by status. */
export type Bodies = { readonly [Status in Statuses]?: z.ZodType };

export interface JsonResponse {
  kind: 'json';
  bodies: Bodies;
}

/** A page, a script or a style, which browsers may cache for a day. */
export interface TextResponse {
  kind: 'text';
  mediaType: string;
  headers?: Readonly<Record<string, string>>;
}

/** Server-sent events, each sent as it happens. */
export interface SseResponse {
  kind: 'sse';
  events: z.ZodType;
  /** The one JSON body that callers may ask for in place of the events. */
  json?: z.ZodType;
}

/** A body of another media type that is sent while it is made. */
export interface StreamResponse {
  kind: 'stream';
  mediaType: string;
  body: z.ZodType;
  /** The bodies of statuses other than 200, which are not streamed. */
  bodies?: Bodies;
}

/** What an endpoint answers, in one of four ways. What its handler returns follows from it: see {@link HandlerResult}. */
export type EndpointResponse = JsonResponse | TextResponse | SseResponse | StreamResponse;

/**
 * What a handler returns: the body, or status and body where several are declared; a text; a body that is still being
 * made.
 */
export type HandlerResult<R extends EndpointResponse> = R extends JsonResponse
  ? IsUnion<keyof R['bodies']> extends true
    ? StatusAndBody<R['bodies']>
    : Input<R['bodies'][keyof R['bodies']]>
  : R extends TextResponse
    ? string
    : R extends { kind: 'stream'; bodies: infer B extends Bodies }
      ? StreamedBody | StatusAndBody<B>
      : StreamedBody;

type StatusAndBody<B extends Bodies> = { [S in keyof B]: { status: S; body: Input<B[S]> } }[keyof B];
type Input<S> = S extends z.ZodType ? z.input<S> : never;
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/** Whether the answer is sent while it is made. */
export const isStreamed = ({ response: { kind } }: { response: EndpointResponse }) =>
  kind === 'sse' || kind === 'stream';
