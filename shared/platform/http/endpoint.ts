import type * as z from 'zod';
import type { optionalCredential } from '../auth/optional-credential.ts';
import type { Windows } from '../auth/rate-limit-windows.ts';
import type { Need, Needs, Resolved } from '../data/scope.ts';
import type { Access } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import type { LiveBody } from './live-body.ts';

type Schema = z.ZodType | undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type Statuses = 200 | 201 | 202 | 204;
type ErrorStatuses = 400 | 404 | 409 | 413 | 415 | 422 | 503;

export interface Request<Params extends Schema, Query extends Schema, Body extends Schema> {
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  /** Its permissions are those of this moment, except in a GET, which runs beside the meter. */
  principal: Principal;
  signal: AbortSignal;
  /** Milliseconds until Lambda ends the process. */
  timeLeftMs: () => number;
  requestId: string;
  /** How much of its limits the credential has used, this request included. */
  usage: () => Promise<Windows>;
  /** The address under which the caller reached the API, with the stage if there is one. */
  baseUrl: () => string;
}

export type Responses = { [Status in Statuses]?: z.ZodType };

/** A handler answers with the body, or with status and body where it declares several statuses. */
export type Reply<R extends Responses> =
  IsUnion<keyof R> extends true
    ? { [S in keyof R]: { status: S; body: Input<R[S]> } }[keyof R]
    : Input<R[keyof R]>;
type Input<S> = S extends z.ZodType ? z.input<S> : never;
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

export interface Endpoint<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  R extends Responses = Responses,
  N extends Needs = Needs,
> {
  /** `<group>.<verb>`: also the operationId, and with a slash the path of the file under `functions/`. */
  id: `${string}.${string}`;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/${string}`;
  summary: string;
  /** What a caller should know beyond the shapes: limits, rules, decisions. Shown on the reference page. */
  description?: string;
  permission: Access;
  /** Refuses API keys, whatever they hold: for what only a person may do. */
  sessionOnly?: boolean;
  /** Takes the token of a setup link too, which all other endpoints refuse. */
  acceptsIntakeToken?: boolean;
  /** Of a public endpoint that takes a credential where one is sent: see {@link defineOpenEndpoint}. */
  optionalCredential?: typeof optionalCredential;
  params?: Params;
  query?: Query;
  body?: Body;
  /** How the body is sent. Multipart fields arrive as one object of strings and files. */
  bodyType?: 'json' | 'multipart';
  /** The events of an answer that is sent while it is made, or all of it: see {@link defineStreamingEndpoint}. */
  streams?: z.ZodType;
  /** The media type of what is streamed, where that is not server-sent events. */
  streamsAs?: string;
  responses: R;
  /** Statuses beyond 401, 403, 429, 500 and 504, which every endpoint may answer. */
  errors?: readonly ErrorStatuses[];
  needs: N;
  handle: (request: Request<Params, Query, Body>, needs: Resolved<N>) => Promise<Reply<R>> | Reply<R>;
}

/**
 * Ties the schemas to the handler's types, and keeps the route's own text in the type, for the typed client.
 * Declares only: nothing runs, nothing is read from the environment.
 */
export const defineEndpoint = <
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  const R extends Responses = Responses,
  N extends Record<string, Need<unknown>> = Record<never, never>,
  const Route extends Pick<Endpoint, 'id' | 'method' | 'path'> = Pick<Endpoint, 'id' | 'method' | 'path'>,
>(
  endpoint: Endpoint<Params, Query, Body, R, N> & Route,
) => endpoint;

/** What a handler answers that streams: a body that is still being made (200), or a whole answer of another status. */
export type LiveReply<R extends Responses> =
  | LiveBody
  | { [S in Exclude<keyof R, 200>]: { status: S; body: Input<R[S]> } }[Exclude<keyof R, 200>];

/** The same for an endpoint whose handler answers a body that is still being made. */
export const defineStreamingEndpoint = <
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  const R extends Responses = Responses,
  N extends Record<string, Need<unknown>> = Record<never, never>,
  const Route extends Pick<Endpoint, 'id' | 'method' | 'path' | 'streamsAs'> = Pick<
    Endpoint,
    'id' | 'method' | 'path' | 'streamsAs'
  >,
  Event extends z.ZodType = z.ZodType,
>(
  endpoint: Omit<Endpoint<Params, Query, Body, R, N>, 'handle' | 'streams'> &
    Route & {
      streams: Event;
      handle: (request: Request<Params, Query, Body>, needs: Resolved<N>) => Promise<LiveReply<R>>;
    },
) => endpoint as unknown as Endpoint<Params, Query, Body, R, N> & Route & { streams: Event };

/**
 * The same for a public endpoint that does more for a caller with a credential: without one there is no principal and
 * nothing of `needs`. Callers without one are limited per address.
 */
export const defineOpenEndpoint = <
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  const R extends Responses = Responses,
  N extends Record<string, Need<unknown>> = Record<never, never>,
  const Route extends Pick<Endpoint, 'id' | 'method' | 'path'> = Pick<Endpoint, 'id' | 'method' | 'path'>,
>(
  endpoint: Omit<Endpoint<Params, Query, Body, R, N>, 'handle' | 'permission'> &
    Route & {
      permission: 'public';
      optionalCredential: typeof optionalCredential;
      handle: (
        request: Omit<Request<Params, Query, Body>, 'principal'> & { principal: Principal | undefined },
        needs: Resolved<N> | undefined,
      ) => Promise<Reply<R>> | Reply<R>;
    },
) => endpoint as unknown as Endpoint<Params, Query, Body, R, N> & Route;

// biome-ignore lint/suspicious/noExplicitAny: a registry holds endpoints of every shape, and handlers are contravariant
export type AnyEndpoint = Endpoint<any, any, any, any, any>;
