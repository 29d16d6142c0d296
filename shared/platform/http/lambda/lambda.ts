import { Readable } from 'node:stream';
import middy, { type PluginExecutionMode } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { ServiceError } from '../../../core/errors/errors.ts';
import { addLogFields, inInvocation } from '../../../core/invocation.ts';
import { withReceivedTrace } from '../../../core/tracing/active-span.ts';
import { parseTraceparent } from '../../../core/tracing/trace-context.ts';
import type { PublicCall } from '../../auth/public-scope.ts';
import { toRateLimitHeaders, uncountedRateLimit } from '../../auth/rate-limit-windows.ts';
import { admit, type RequestAdmission, wasRefused } from '../../auth/request-gate.ts';
import { resolveNeeds, type Scope } from '../../data/scope.ts';
import { type Principal, principalFrom } from '../../identity/principal.ts';
import { productionRuntime, type Runtime } from '../../runtime.ts';
import { apiBaseUrl } from '../base-url.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { once } from '../idempotency/once.ts';
import { callerOfPrincipal } from '../idempotency/request-names.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import type { OpenRequest, openRequest } from '../open-requests.ts';
import { isStreamed } from '../responses/response.ts';
import type { LoggedRun } from '../responses/streamed-body.ts';
import { parseBody } from './body.ts';
import { crossOrigin } from './cross-origin.ts';
import { errorMapper, failureResult } from './error-mapper.ts';
import { parseRequest } from './parse-request.ts';
import { toProxyResult } from './proxy-result.ts';
import { responseMetrics } from './response-metrics.ts';
import { wholeTexts } from './whole-texts.ts';

const timedOut = 'The request timed out. Request less at once, or try again later';

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

interface Lasting {
  openRequest: typeof openRequest;
  executionMode?: PluginExecutionMode;
}

/**
 * In order: lower-case headers, principal, request gate (with the permission), idempotency key, body, validation, handler, response
 * schema. Every response passes the error mapper, gets rate-limit headers and is counted.
 */
export function toLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime, lasting?: Lasting) {
  const handle = requestStack(endpoint, loadRuntime, lasting);
  return (event: APIGatewayProxyEvent, ...rest: [CallContext]): Promise<APIGatewayProxyResult> =>
    inInvocation({ endpoint: endpoint.id, requestId: event.requestContext?.requestId }, () =>
      withReceivedTrace(parseTraceparent(traceparentOf(event)), () => handle(event, ...rest)),
    );
}

const traceparentOf = ({ headers }: APIGatewayProxyEvent) =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'traceparent')?.[1];

const requestStack = (
  endpoint: AnyEndpoint,
  loadRuntime: () => Runtime = productionRuntime,
  lasting?: Lasting,
) =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext>({
    timeoutEarlyInMillis: 500,
    timeoutEarlyResponse: () => {
      throw new ServiceError('TIMEOUT', timedOut);
    },
    ...(lasting?.executionMode && { executionMode: lasting.executionMode }),
    ...(lasting && { requestEnd: endRequest }),
  })
    .use(lasting?.executionMode ? wholeTexts() : [])
    .use(responseMetrics(endpoint))
    .use(crossOrigin(endpoint))
    .use(rateLimitHeaders(endpoint))
    .use(errorMapper(endpoint))
    .before(({ event }) => {
      event.headers = Object.fromEntries(
        Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      );
    })
    .before(async ({ event, context }) => {
      const call = await callOf(endpoint, event, loadRuntime);
      if (!call) return;
      Object.assign(context, call);
      addLogFields({ tenant: call.scope?.table.tenant });
      // A read runs concurrently with the request gate, because its response is held until the gate decides. Other
      // requests wait for the gate: writes; streams, which may be long; session-only endpoints, which are audited; and
      // public endpoints, which may have no tenant; and those of a credential that was refused a short time ago.
      const { method, sessionOnly, scope } = endpoint;
      const isRead = method === 'GET' && !isStreamed(endpoint) && !sessionOnly && !scope;
      if (isRead && call.principal && !wasRefused(call.principal))
        context.refused = refusalOf(call.admission);
      else {
        const permissions = await admitted(call.admission);
        if (call.principal) call.principal.permissions = permissions;
      }
    })
    .handler(
      async (event: APIGatewayProxyEvent, context: CallContext, { signal }: { signal: AbortSignal }) => {
        const { refused } = context;
        const needed = refused ? AbortSignal.any([signal, refused]) : signal;
        const answer = answeredOnce(endpoint, event, context, (run) =>
          answerTo(endpoint, event, context, { signal: needed, lasting, run }),
        );
        answer.catch(() => {});
        await admitted(context.admission);
        return answer;
      },
    );

/** Ends a body that nobody reads: a pipeline into a stream whose client has already left does not even begin. */
async function endRequest({ response, context }: Ended): Promise<void> {
  const body: unknown = response?.body;
  if (body instanceof Readable) body.destroy();
  // Lambda freezes the process after this.
  await context.released;
}

interface Ended {
  response: APIGatewayProxyResult | null;
  context: CallContext;
}

/** Resolves the caller and the tenant; `undefined` if the endpoint has no tenant. */
function callOf(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  loadRuntime: () => Runtime,
): PublicCall | Promise<PublicCall> | undefined {
  if (endpoint.scope === 'none') return undefined;
  if (endpoint.scope) return endpoint.scope.callOf(event, loadRuntime());
  const principal = principalFrom(event.requestContext);
  const scope = loadRuntime().scopeOf(principal.tenant);
  return { principal, scope, admission: admit(scope, principal, endpoint) };
}

/** A signal that is aborted when a request is refused, or cannot be counted. */
function refusalOf(admission: Promise<RequestAdmission>): AbortSignal {
  const refused = new AbortController();
  admitted(admission).catch((error) => refused.abort(error));
  return refused.signal;
}

/** @returns the current permissions of the credential. */
async function admitted(admission: Promise<RequestAdmission> | undefined): Promise<string[]> {
  const { refusal, permissions = [] } = (await admission) ?? {};
  if (refusal) throw refusal;
  return permissions;
}

/** The answer to a request; with an idempotency key, that to the first one. */
async function answeredOnce(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  context: CallContext,
  answer: (run?: LoggedRun) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const { principal, scope, caller } = context;
  const key = readIdempotencyKey(endpoint, event);
  const known = principal ? callerOfPrincipal(principal) : caller;
  if (key === undefined || !scope || known === undefined) return answer();
  const failureOf = (error: unknown) => failureResult(endpoint, error, event.requestContext.requestId);
  const request = { endpoint, event, scope, caller: known, key, failureOf };
  const { result, kept } = await once(request, answer);
  if (kept) context.released = Promise.all([context.released, kept]);
  return result;
}

interface Answering {
  signal: AbortSignal;
  lasting: Lasting | undefined;
  /** That an earlier request with the same idempotency key began. */
  run: LoggedRun | undefined;
}

async function answerTo(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  context: CallContext,
  { signal, lasting, run }: Answering,
): Promise<APIGatewayProxyResult> {
  const { principal, scope, admission, refused } = context;
  await parseBody(endpoint, event);
  const { awsRequestId: requestId, getRemainingTimeInMillis: timeLeftMs } = context;
  const baseUrl = () => apiBaseUrl(endpoint.path, event.requestContext);
  const usage = async () => (await admission)?.windows;
  const permissions = () => admitted(admission);
  const request = {
    ...parseRequest(endpoint, event),
    principal,
    signal,
    timeLeftMs,
    requestId,
    sourceIp: event.requestContext.identity?.sourceIp ?? null,
    baseUrl,
    usage,
    permissions,
    header: (name: string) => event.headers?.[name],
  };
  const table = refused ? scope?.table.until(refused) : scope?.table;
  const needs = scope && table && resolveNeeds(endpoint.needs, { ...scope, table, signal });
  const opened = scope && (await lasting?.openRequest(scope, endpoint, request));
  const handle = () =>
    run ? endpoint.follow?.(request, needs, run) : endpoint.handle(request as never, needs as never);
  const reply = await handled(handle, opened, context);
  return toProxyResult(endpoint.response, reply, request.header('if-none-match'));
}

/** Handles a request, and gives its place back in the end. */
async function handled(
  handle: () => unknown,
  opened: OpenRequest | undefined,
  context: CallContext,
): Promise<unknown> {
  try {
    const reply = await handle();
    context.released = opened?.releasedAfter(reply);
    return reply;
  } catch (error) {
    context.released = opened?.releasedAfter(undefined);
    throw error;
  }
}

function rateLimitHeaders({ scope }: AnyEndpoint) {
  const isFree = scope === 'none';
  const add = async ({
    context,
    response,
  }: {
    context: CallContext;
    response: APIGatewayProxyResult | null;
  }) => {
    const admission = await context.admission?.catch(() => undefined);
    if (!response) return;
    const limits = toRateLimitHeaders(admission?.rateLimit ?? uncountedRateLimit(isFree));
    response.headers = { ...response.headers, ...limits };
  };
  return { after: add, onError: add };
}
