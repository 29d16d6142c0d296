/**
 * The declaration of an endpoint, from which everything else is derived: the route, the handler's types, the permission, the
 * OpenAPI document, the clients, the IAM permissions of its Lambda.
 * Each file of `functions/<group>/<verb>.ts` calls `defineEndpoint` once; `lambda/lambda.ts` runs it, `openapi.ts` describes it,
 * `openapi.ts` sums up what it uses of AWS. A member here is a promise to all of them: what is not declared is
 * refused (unknown members, query parameters, statuses).
 */
import type * as z from 'zod';
import type { SpecialCredential } from '../auth/credential-kind.ts';
import type { CallerOf, NeedsOf, PublicScope, VerifiedCredential } from '../auth/public-scope.ts';
import type { Windows } from '../auth/rate-limit-windows.ts';
import type { Needs } from '../data/scope.ts';
import type { Access } from '../identity/permissions.ts';
import type { Open } from './open-requests.ts';
import type { ErrorForm, ProtocolErrors } from './responses/http-errors.ts';
import type { EndpointResponse, HandlerResult } from './responses/response.ts';
import type { LoggedRun } from './responses/streamed-body.ts';

type Schema = z.ZodType | undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type ErrorStatuses = 400 | 401 | 402 | 403 | 404 | 409 | 413 | 422 | 502 | 503;
type Scoping = PublicScope | undefined;

interface Request<
  Params extends Schema,
  Query extends Schema,
  Body extends Schema,
  S extends Scoping = undefined,
> {
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  /** Its permissions are current, except in a GET, because a GET runs concurrently with the request gate. */
  principal: CallerOf<S>;
  signal: AbortSignal;
  /** The milliseconds until the Lambda timeout. */
  timeLeftMs: () => number;
  requestId: string;
  /** The address of the caller. A principal has it too. */
  sourceIp: string | null;
  /** The current permissions of the credential: in a GET, once the request gate has read them. */
  permissions: () => Promise<readonly string[]>;
  /** The usage of the credential's rate limits, including this request. */
  usage: () => Promise<Windows>;
  /** The value of a request header, by its name in lower case. */
  header: (name: string) => string | undefined;
  /** The URL by which the caller reached the API, with the stage if there is one. */
  baseUrl: () => string;
}

interface Route {
  /** `<group>.<verb>`. Also the operationId; the file is `functions/<group>/<verb>.ts`. */
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
  /** Limits and rules that the schemas do not express. Shown on the reference page. */
  description?: string;
  permission: S extends undefined ? Exclude<Access, 'public'> : 'public';
  /** Verifies the credential in the Lambda, where a protocol has its own form of a 401. The gateway then has no authorizer. */
  credential?: VerifiedCredential;
  /** For public endpoints: how to determine the tenant and count the request. */
  scope?: S;
  /** Methods that return 405 instead of 404, because a protocol makes clients try them. */
  refusedMethods?: readonly Route['method'][];
  /** Pages of every origin may read its responses; it decides itself which origins it serves. */
  anyOrigin?: boolean;
  /**
   * Whether a request keeps its Lambda busy for long, so that the tenant may have only so many at a time: see
   * `open-requests.ts`. Each endpoint that streams says so; of the others, those that call what a tenant names.
   */
  open?: Open | 'brief' | ((request: { params: Parsed<Params>; body: Parsed<Body> }) => Open | 'brief');
  /** Whether the handler of a run acquires its place, with the transaction that begins the run: `place` of its scope. */
  takesPlace?: true;
  /** Whether a request that is no DELETE deletes something. */
  deletes?: true;
  /** Why a POST takes no `Idempotency-Key`. All others do: see `idempotency/`. */
  noIdempotencyKey?: string;
  /** The members of its responses whose values no other request shows, as dotted paths. They are kept masked. */
  shownOnce?: readonly string[];
  /** The bodies of its errors, if a protocol has another form for them. */
  errorBody?: ErrorForm;
  /** The errors that the library of a protocol returns itself, in a form of its own. Other errors have the form of the service. */
  protocolErrors?: ProtocolErrors;
  /** The headers that a protocol makes pages of other origins send, besides those of all endpoints. */
  requestHeaders?: readonly string[];
  /** Request headers that have a meaning for it, for the reference. They are not validated. */
  headers?: z.ZodObject;
  /** Refuses API keys regardless of their permissions. For actions reserved to people. */
  sessionOnly?: boolean;
  /** Also accepts these credentials, whatever its permission is. All other endpoints refuse them. */
  accepts?: readonly SpecialCredential[];
  params?: Params;
  query?: Query;
  body?: Body;
  /** Whether no body and `null` are not the same as an empty object. */
  needsBody?: true;
  /**
   * The format of the body. Multipart fields arrive as one object of strings and files. `json-or-form` takes
   * application/x-www-form-urlencoded too, for senders that know nothing else.
   */
  bodyType?: 'json' | 'multipart' | 'json-or-form';
  /**
   * Other systems write its bodies, with numbers that they did not choose for us: those that no double holds are bigints, and
   * texts of digits (see `exact-json.ts`). Elsewhere they are refused.
   */
  exactNumbers?: true;
  response: R;
  /** Error statuses beside those that every endpoint may return: see `declared-statuses.ts`. */
  errors?: readonly ErrorStatuses[];
  /** What error statuses mean here, beside what they mean everywhere. For the reference. */
  statuses?: Readonly<Partial<Record<number, string>>>;
  /** Factories of stores, which are bound to the tenant. An endpoint without a tenant has no needs. */
  needs: N & (S extends 'none' ? Record<string, never> : unknown);
  /** Begins reads that `handle` will find, while a request that lasts acquires its place. Their failures are found there too. */
  readAhead?: (request: Request<Params, Query, Body, S>, needs: NeedsOf<N, S>) => void;
  handle: (
    request: Request<Params, Query, Body, S>,
    needs: NeedsOf<N, S>,
  ) => Promise<HandlerResult<R>> | HandlerResult<R>;
  /** Streams the events of a run that an earlier request with the same idempotency key began: see `nameRun`. */
  follow?: (
    request: Request<Params, Query, Body, S>,
    needs: NeedsOf<N, S>,
    run: LoggedRun,
  ) => Promise<HandlerResult<R>> | HandlerResult<R>;
}

/** Derives the handler's types from the schemas, and keeps the members as they are declared. */
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

export interface AnyEndpoint
  // biome-ignore lint/suspicious/noExplicitAny: a registry holds endpoints of every shape
  extends Omit<Endpoint<any, any, any>, 'permission' | 'needs' | 'readAhead' | 'handle' | 'follow'> {
  permission: Access;
  needs: Needs;
  // biome-ignore lint/suspicious/noExplicitAny: handlers are contravariant
  handle: (request: any, needs: any) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  readAhead?: (request: any, needs: any) => void;
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  follow?: (request: any, needs: any, run: LoggedRun) => unknown;
}

/** A group of endpoints: one folder in `functions/`, one tag of the API document, one IAM role. */
export interface EndpointGroup {
  description: string;
  /** The form of the 404 for all paths and methods below a path that are not offered, where a protocol has its own. */
  unoffered?: { below: `/${string}`; errorBody: ErrorForm };
  /** In the order of the API document. */
  endpoints: readonly AnyEndpoint[];
}
