import type * as z from 'zod';
import type { CallerOf, NeedsOf, PublicScope } from '../auth/public-scope.ts';
import type { Windows } from '../auth/rate-limit-windows.ts';
import type { Needs } from '../data/scope.ts';
import type { Access } from '../identity/permissions.ts';
import type { EndpointResponse, HandlerResult } from './response.ts';

type Schema = z.ZodType | undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type ErrorStatuses = 400 | 404 | 409 | 413 | 415 | 422 | 503;
type Scoping = PublicScope | undefined;

export interface Request<
  Params extends Schema,
  Query extends Schema,
  Body extends Schema,
  S extends Scoping = undefined,
> {
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  /** Its permissions are those of this moment, except in a GET, which runs beside the meter. */
  principal: CallerOf<S>;
  signal: AbortSignal;
  /** Milliseconds until Lambda ends the process. */
  timeLeftMs: () => number;
  requestId: string;
  /** How much of its limits the credential has used, this request included. */
  usage: () => Promise<Windows>;
  /** The address under which the caller reached the API, with the stage if there is one. */
  baseUrl: () => string;
}

interface Route {
  /** `<group>.<verb>`: also the operationId, and with a slash the path of the file under `functions/`. */
  id: `${string}.${string}`;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/${string}`;
}

export interface Endpoint<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  R extends EndpointResponse = EndpointResponse,
  N extends Needs = Needs,
  S extends Scoping = Scoping,
> extends Route {
  summary: string;
  /** What a caller should know beyond the shapes: limits, rules, decisions. Shown on the reference page. */
  description?: string;
  permission: S extends undefined ? Exclude<Access, 'public'> : 'public';
  /** Of a public endpoint: which tenant it serves, and how its callers are counted. */
  scope?: S;
  /** Refuses API keys, whatever they hold: for what only a person may do. */
  sessionOnly?: boolean;
  /** Takes the token of a setup link too, which all other endpoints refuse. */
  acceptsSetupLink?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  /** How the body is sent. Multipart fields arrive as one object of strings and files. */
  bodyType?: 'json' | 'multipart';
  response: R;
  /** Statuses beyond 401, 403, 429, 500 and 504, which every endpoint may answer. */
  errors?: readonly ErrorStatuses[];
  /** Bound to the tenant, so that an endpoint without one has none. */
  needs: N & (S extends 'none' ? Record<string, never> : unknown);
  handle: (
    request: Request<Params, Query, Body, S>,
    needs: NeedsOf<N, S>,
  ) => Promise<HandlerResult<R>> | HandlerResult<R>;
}

/**
 * Ties the schemas to the handler's types, and keeps the route's own text in the type, for the typed client.
 * Declares only: nothing runs, nothing is read from the environment.
 */
export const defineEndpoint = <
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  const R extends EndpointResponse = EndpointResponse,
  N extends Needs = Record<never, never>,
  const S extends Scoping = undefined,
  const At extends Route = Route,
>(
  endpoint: Endpoint<Params, Query, Body, R, N, S> & At,
) => endpoint;

/** An endpoint of any shape. */
export interface AnyEndpoint
  // biome-ignore lint/suspicious/noExplicitAny: a registry holds endpoints of every shape
  extends Omit<Endpoint<any, any, any>, 'permission' | 'needs' | 'handle'> {
  permission: Access;
  needs: Needs;
  // biome-ignore lint/suspicious/noExplicitAny: handlers are contravariant
  handle: (request: any, needs: any) => unknown;
}
