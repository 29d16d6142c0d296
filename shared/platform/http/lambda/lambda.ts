/**
 * The Lambda of an endpoint: the middlewares in their order, around `handle-request.ts`.
 *
 * In order: lower-case headers, the caller and the tenant, the request gate with the permission, idempotency key, body,
 * validation, handler, response schema. A read runs beside the gate, and its response is held until the gate decides;
 * everything that writes, streams or is audited waits for it. Every response passes the error mapper, gets rate-limit and
 * cross-origin headers, and is counted. The Lambda ends only when what outlives the response (`context.released`) has ended,
 * because the process is frozen then.
 *
 * Registered by `functions/`; public endpoints resolve their tenant through their `scope`
 * (`shared/platform/auth/public-scope.ts`).
 */

import { Readable } from 'node:stream';
import type { MiddlewareObj } from '@middy/core';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { runWithReceivedTrace } from '../../../core/active-span.ts';
import { ServiceError } from '../../../core/errors/errors.ts';
import { addLogFields, measure, runInvocation, setDimensions } from '../../../core/invocation.ts';
import type { CallerClass } from '../../../core/metrics.ts';
import { parseTraceparent } from '../../../core/trace-context.ts';
import { restoreAddress } from '../../auth/relayed-address.ts';
import { wasRefused } from '../../auth/request-limiter.ts';
import type { Principal } from '../../identity/principal.ts';
import { productionRuntime, type Runtime } from '../../runtime.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { corsHeaders, corsOrigins } from '../responses/cors.ts';
import { isStreamed } from '../responses/response.ts';
import {
  type CallContext,
  type Lasting,
  rateLimitHeaders,
  requireAdmission,
  resolveCall,
  signalRefusal,
} from './admission.ts';
import { answerRequest, runEndpoint } from './handle-request.ts';
import { mapErrors } from './proxy-result.ts';

const timedOut = 'The request timed out. Request less at once, or try again later';

/**
 * In order: lower-case headers, principal, request gate (with the permission), idempotency key, body, validation, handler, response
 * schema. Every response passes the error mapper, gets rate-limit headers and is counted.
 */
export function toLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime, lasting?: Lasting) {
  const handle = requestStack(endpoint, loadRuntime, lasting);
  return (event: APIGatewayProxyEvent, ...rest: [CallContext]): Promise<APIGatewayProxyResult> =>
    runInvocation({ endpoint: endpoint.id, requestId: event.requestContext?.requestId }, () =>
      runWithReceivedTrace(parseTraceparent(readTraceparent(event)), () => handle(event, ...rest)),
    );
}

const readTraceparent = ({ headers }: APIGatewayProxyEvent) =>
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
    .use(lasting?.executionMode ? writeWholeTexts() : [])
    .use(endpoint.method === 'GET' ? dropHeadContent() : [])
    .use(measureResponses(endpoint))
    .use(addCorsHeaders(endpoint))
    .use(rateLimitHeaders())
    .use(mapErrors(endpoint))
    .before(({ event }) => {
      event.headers = Object.fromEntries(
        Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      );
    })
    .before(async ({ event, context }) => {
      if (endpoint.scope !== 'none') await restoreAddress(event, loadRuntime);
      const call = await resolveCall(endpoint, event, loadRuntime);
      if (!call) return;
      Object.assign(context, call);
      addLogFields({ tenant: call.scope?.table.tenant });
      // A read runs concurrently with the request gate, because its response is held until the gate decides. Other
      // requests wait for the gate: writes; streams, which may be long; session-only endpoints, which are audited; and
      // public endpoints, which may have no tenant; and those of a credential that was refused a short time ago (D19).
      const { method, sessionOnly, scope } = endpoint;
      const isRead = method === 'GET' && !isStreamed(endpoint) && !sessionOnly && !scope;
      if (isRead && call.principal && !wasRefused(call.principal))
        context.refused = signalRefusal(call.admission);
      else {
        const permissions = await requireAdmission(call.admission);
        if (call.principal) call.principal.permissions = permissions;
      }
    })
    .handler(
      async (event: APIGatewayProxyEvent, context: CallContext, { signal }: { signal: AbortSignal }) => {
        const { refused } = context;
        const needed = refused ? AbortSignal.any([signal, refused]) : signal;
        const answer = answerRequest(endpoint, event, context, lasting, (run) =>
          runEndpoint(endpoint, event, context, { signal: needed, lasting, run }),
        );
        answer.catch(() => {});
        await requireAdmission(context.admission);
        return answer;
      },
    );

/** Answers HEAD as GET without its content (RFC 9110, 9.3.2). */
function dropHeadContent() {
  const drop = ({ event, response }: Ended & { event: APIGatewayProxyEvent }): void => {
    if (event.httpMethod !== 'HEAD' || !response) return;
    endBody(response);
    response.body = '';
  };
  return { after: drop, onError: drop };
}

function endBody(response: APIGatewayProxyResult | null): void {
  const body: unknown = response?.body;
  if (body instanceof Readable) body.destroy();
}

/** Ends a body that nobody reads: a pipeline into a stream whose client has already left does not even begin. */
async function endRequest({ response, context }: Ended): Promise<void> {
  endBody(response);
  // Lambda freezes the process after this.
  await context.released;
}

interface Ended {
  response: APIGatewayProxyResult | null;
  context: CallContext;
}

function addCorsHeaders({
  anyOrigin,
}: Pick<AnyEndpoint, 'anyOrigin'>): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const add: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>['after'] = ({ event, response }) => {
    if (!response) return;
    const origin = readOrigin(event);
    const origins = anyOrigin ? [origin ?? 'null'] : corsOrigins();
    const { Vary, ...others } = corsHeaders(origin, origins);
    const varies = [response.headers?.Vary, Vary].filter(Boolean).join(', ');
    response.headers = { ...response.headers, ...others, ...(varies && { Vary: varies }) };
  };
  return { after: add, onError: add };
}

/** A middleware may fail before header names are in lower case. */
const readOrigin = ({ headers }: APIGatewayProxyEvent) =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'origin')?.[1];

/** Counts each response by the endpoint's group and the caller's class, and measures the time to it. */
function measureResponses(
  endpoint: AnyEndpoint,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext> {
  const [group = endpoint.id] = endpoint.id.split('.');
  const count = ({
    context,
    response,
  }: {
    context: CallContext;
    response?: APIGatewayProxyResult | null | undefined;
  }) => {
    const { statusCode = 500 } = response ?? {};
    setDimensions({ group, callerClass: classifyCaller(context.principal) });
    measure('Requests');
    if (statusCode >= 500) measure('ServerErrors');
    else if (statusCode >= 400) measure('ClientErrors');
    if (statusCode === 429) measure('RateLimited');
    // The length of a streamed response is that of its run.
    if (context.startedAt !== undefined && !isStreamed(endpoint))
      measure('Latency', Math.round(performance.now() - context.startedAt));
  };
  return {
    before: ({ context }) => {
      context.startedAt = performance.now();
    },
    after: count,
    onError: count,
  };
}

function classifyCaller(principal: Principal | undefined): CallerClass {
  if (!principal) return 'anonymous';
  if (principal.kind === 'session') return 'session';
  if (principal.kind === 'intake') return 'setup-link';
  return principal.environment === 'test' ? 'test' : 'live';
}

/** Middy writes longer texts to a stream in pieces, which may end in the middle of a character. */
const pieceMax = 16_384;

/** Has a streaming Lambda write its long texts as bytes. */
function writeWholeTexts() {
  const toBytes = ({ response }: { response: APIGatewayProxyResult | null }): void => {
    if (typeof response?.body !== 'string' || response.body.length <= pieceMax) return;
    response.body = Readable.from([Buffer.from(response.body)]) as unknown as string;
  };
  return { after: toBytes, onError: toBytes };
}
