import middy, { type PluginExecutionMode } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { outOfTime } from '../../core/errors.ts';
import type { Call } from '../auth/optional-credential.ts';
import { rateLimitHeadersOf, uncounted } from '../auth/rate-limit-windows.ts';
import { type Admission, admit } from '../auth/request-gate.ts';
import { resolveNeeds } from '../data/scope.ts';
import { type Principal, principalFrom } from '../identity/principal.ts';
import { productionRuntime, type Runtime } from '../runtime.ts';
import { baseUrlOf } from './base-url.ts';
import { bodyParser } from './body.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { errorMapper, json } from './error-mapper.ts';
import type { LiveBody } from './live-body.ts';
import { EmptyBody, parseOrReject } from './validation.ts';

/** What the stack learns about a call and later parts of it need. */
export interface CallContext extends Context {
  principal?: Principal;
  admission?: Promise<Admission>;
}

/**
 * One endpoint, as the Lambda that API Gateway invokes. In order: lower-case headers, the principal, the meter
 * (which also decides the permission), the body, validation, the handler, the response schema; errors and
 * rate-limit headers on every way out.
 */
export const toLambda = (
  endpoint: AnyEndpoint,
  loadRuntime: () => Runtime = productionRuntime,
  executionMode?: PluginExecutionMode,
) =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext>({
    timeoutEarlyInMillis: 500,
    timeoutEarlyResponse: () => {
      throw outOfTime();
    },
    ...(executionMode && { executionMode }),
  })
    .use(rateLimitHeaders(endpoint))
    .use(errorMapper())
    .before(({ event }) => {
      event.headers = Object.fromEntries(
        Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      );
    })
    .before(async ({ event, context }) => {
      const call = await callOf(endpoint, event, loadRuntime);
      if (!call) return;
      Object.assign(context, call);
      // A read runs beside the meter, since nothing of it leaves before the meter has spoken. A write waits, what is
      // streamed does since it may be long, and what only a session may do since it is audited.
      const isRead = endpoint.method === 'GET' && !endpoint.streams && !endpoint.sessionOnly;
      if (isRead) call.admission.catch(() => {});
      else {
        const permissions = await admitted(call.admission);
        if (call.principal) call.principal.permissions = permissions;
      }
    })
    .use(bodyParser(endpoint))
    .handler(
      async (event: APIGatewayProxyEvent, context: CallContext, { signal }: { signal: AbortSignal }) => {
        const answer = answerTo(endpoint, event, context, signal, loadRuntime);
        answer.catch(() => {});
        await admitted(context.admission);
        return answer;
      },
    );

/** Who calls, of an endpoint that counts its callers. */
function callOf(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  loadRuntime: () => Runtime,
): Call | Promise<Call> | undefined {
  if (endpoint.optionalCredential) return endpoint.optionalCredential(event, loadRuntime());
  if (endpoint.permission === 'public') return undefined;
  const principal = principalFrom(event.requestContext);
  return { principal, admission: admit(loadRuntime().scopeOf(principal.tenant), principal, endpoint) };
}

/** @returns the permissions that the credential holds at this moment. */
async function admitted(admission: Promise<Admission> | undefined): Promise<string[]> {
  const { refusal, held = [] } = (await admission) ?? {};
  if (refusal) throw refusal;
  return held;
}

async function answerTo(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  { principal, admission, awsRequestId: requestId, getRemainingTimeInMillis: timeLeftMs }: CallContext,
  signal: AbortSignal,
  loadRuntime: () => Runtime,
): Promise<APIGatewayProxyResult> {
  const baseUrl = () => baseUrlOf(endpoint.path, event.requestContext);
  const usage = async () => (await admission)?.windows;
  const request = {
    ...parseRequest(endpoint, event),
    ...{ principal, signal, timeLeftMs, requestId, baseUrl, usage },
  };
  const needs = principal
    ? resolveNeeds(endpoint.needs, { ...loadRuntime().scopeOf(principal.tenant), signal })
    : endpoint.optionalCredential
      ? undefined
      : {};
  const reply: unknown = await endpoint.handle(request as never, needs as never);
  if (endpoint.streams && isLive(reply)) return live(reply);
  const statuses = Object.keys(endpoint.responses).map(Number);
  const { status, body } =
    statuses.length > 1
      ? (reply as { status: number; body: unknown })
      : { status: statuses[0] ?? 200, body: reply };
  const schema: z.ZodType = endpoint.responses[status];
  return json(status, schema.parse(body));
}

const isLive = (reply: unknown): reply is LiveBody => (reply as LiveBody).stream !== undefined;

/** Middy hands the stream of a body on; the type of a proxy's answer knows texts only. */
const live = ({ contentType, headers, stream }: LiveBody): APIGatewayProxyResult => ({
  statusCode: 200,
  headers: { 'content-type': contentType, 'cache-control': 'no-store', ...headers },
  body: stream as unknown as string,
});

function parseRequest({ params, query, body, method }: AnyEndpoint, event: APIGatewayProxyEvent) {
  const input = {
    params: decoded(event.pathParameters ?? {}),
    query: event.queryStringParameters ?? {},
    body: event.body ?? undefined,
  };
  return {
    params: params && parseOrReject(params, input.params),
    query: query && parseOrReject(query, input.query),
    body: body
      ? parseOrReject(body, input.body ?? {})
      : method !== 'GET' && parseOrReject(EmptyBody, input.body),
  };
}

/** API Gateway hands path parameters on as they were sent. */
const decoded = (parameters: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value ?? '')];
      } catch {
        return [name, value];
      }
    }),
  );

function rateLimitHeaders({ permission, optionalCredential }: AnyEndpoint) {
  const isFree = permission === 'public' && !optionalCredential;
  const add = async ({
    context,
    response,
  }: {
    context: CallContext;
    response: APIGatewayProxyResult | null;
  }) => {
    const admission = await context.admission?.catch(() => undefined);
    if (!response) return;
    const limits = rateLimitHeadersOf(admission?.rateLimit ?? uncounted(isFree));
    response.headers = { ...response.headers, ...limits };
  };
  return { after: add, onError: add };
}
