import type { MiddlewareObj, PluginExecutionMode } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { hasCode, ServiceError } from '../../../core/errors/errors.ts';
import { log } from '../../../core/log.ts';
import type { PublicCall } from '../../auth/public-scope.ts';
import { createUncountedLimit, toRateLimitHeaders } from '../../auth/rate-limit-windows.ts';
import { admit, type RequestAdmission } from '../../auth/request-gate.ts';
import { createStorageFull, isStorageFull } from '../../aws/storage-full.ts';
import type { Scope } from '../../data/scope.ts';
import { type Principal, readPrincipal } from '../../identity/principal.ts';
import type { Runtime } from '../../runtime.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import type { openRequest } from '../open-requests.ts';
import { toHttpError } from '../responses/http-errors.ts';
import { toJsonProxyResult } from './proxy-result.ts';

/** Resolves the caller and the tenant; `undefined` if the endpoint has no tenant. */
export function resolveCall(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  loadRuntime: () => Runtime,
): PublicCall | Promise<PublicCall> | undefined {
  if (endpoint.scope === 'none') return undefined;
  if (endpoint.scope) return endpoint.scope.resolveCall(event, loadRuntime());
  if (endpoint.credential) return endpoint.credential.resolveCall(event, loadRuntime(), endpoint);
  const principal = readPrincipal(event.requestContext);
  const scope = loadRuntime().scopeOf(principal.tenant);
  return { principal, scope, admission: admit(scope, principal, endpoint) };
}

/** A signal that is aborted when a request is refused, or cannot be counted. */
export function signalRefusal(admission: Promise<RequestAdmission>): AbortSignal {
  const refused = new AbortController();
  requireAdmission(admission).catch((error) => refused.abort(error));
  return refused.signal;
}

/** @returns the current permissions of the credential. */
export async function requireAdmission(admission: Promise<RequestAdmission> | undefined): Promise<string[]> {
  const { refusal, permissions = [] } = (await admission) ?? {};
  if (refusal) throw refusal;
  return permissions;
}

/** Middleware that says in every response how much of the rate limit is left. */
export function rateLimitHeaders() {
  const add = async ({
    context,
    response,
  }: {
    context: CallContext;
    response: APIGatewayProxyResult | null;
  }) => {
    const admission = await context.admission?.catch(() => undefined);
    if (!response) return;
    const limits = toRateLimitHeaders(admission?.rateLimit ?? createUncountedLimit());
    response.headers = { ...response.headers, ...limits };
  };
  return { after: add, onError: add };
}

export interface CallContext extends Context {
  principal?: Principal;
  scope?: Scope;
  /** Whose idempotency keys a request without a principal uses. */
  caller?: string;
  admission?: Promise<RequestAdmission>;
  /** Of a read that runs beside the request gate: aborted when the gate refuses the request. */
  refused?: AbortSignal;
  /** Settles when the place of a request that lasts is free again. */
  released?: Promise<unknown> | undefined;
  /** In milliseconds, as `performance.now()` gives it. */
  startedAt?: number;
}

/** What an endpoint whose requests last has besides. */
export interface Lasting {
  openRequest: typeof openRequest;
  executionMode?: PluginExecutionMode;
}

type Failing = { [Name in 'errorBody']?: AnyEndpoint[Name] | undefined };

/** The response to a request that failed. */
export function toFailureResult({ errorBody }: Failing, error: unknown, requestId: string) {
  const reported = error instanceof ServiceError ? error : toInternalError(error, requestId);
  const { statusCode, body, headers } = toHttpError(reported);
  return toJsonProxyResult(statusCode, errorBody?.bodyOf(reported, statusCode) ?? body, headers);
}

const toInternalError = (error: unknown, requestId: string) =>
  isStorageFull(error) ? createStorageFull() : new ServiceError('INTERNAL', `Request ${requestId}`);

/** Converts any error into a response. A 500 contains the request id and no internal details. */
export const mapErrors = ({
  errorBody,
}: Pick<AnyEndpoint, 'errorBody'> = {}): MiddlewareObj<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  CallContext
> => ({
  onError: async (request) => {
    const { requestId } = request.event.requestContext;
    const admission = await request.context.admission?.catch(() => undefined);
    // A GET runs concurrently with the request gate, so its handler may fail before the gate refuses the request.
    const error = admission?.refusal ?? request.error;
    if (isStorageFull(error)) log.error('The disk is full, so a request could not write');
    else if (!(error instanceof ServiceError)) log.error('Unhandled error', { error });
    else if (hasCode(error, 'TIMEOUT')) log.error('A request timed out');
    else if (hasCode(error, 'RESPONSE_TOO_LARGE')) log.error('A response was too large');
    request.response = toFailureResult({ errorBody }, error, requestId);
  },
});
