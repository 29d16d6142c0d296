import type { PluginExecutionMode } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { PublicCall } from '../../auth/public-scope.ts';
import { createUncountedLimit, toRateLimitHeaders } from '../../auth/rate-limit-windows.ts';
import { admit, type RequestAdmission } from '../../auth/request-limiter.ts';
import type { Scope } from '../../data/scope.ts';
import { type Principal, readPrincipal } from '../../identity/principal.ts';
import type { Runtime } from '../../runtime.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import type { openLater, openRequest } from '../open-requests.ts';

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
  /** For endpoints that acquire the place themselves. */
  openLater?: typeof openLater;
  executionMode?: PluginExecutionMode;
}
