import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { resolveNeeds } from '../../data/scope.ts';
import { apiBaseUrl } from '../base-url.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { once } from '../idempotency/once.ts';
import { callerOfPrincipal } from '../idempotency/request-names.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import type { OpenRequest } from '../open-requests.ts';
import type { LoggedRun } from '../responses/streamed-body.ts';
import { admitted } from './admission.ts';
import { parseBody } from './body.ts';
import type { CallContext, Lasting } from './call-context.ts';
import { failureResult } from './error-mapper.ts';
import { parseRequest } from './parse-request.ts';
import { toProxyResult } from './proxy-result.ts';

/** The answer to a request; with an idempotency key, that to the first one. */
export async function answeredOnce(
  endpoint: AnyEndpoint,
  event: APIGatewayProxyEvent,
  context: CallContext,
  lasting: Lasting | undefined,
  answer: (run?: LoggedRun) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const { principal, scope, caller } = context;
  const key = readIdempotencyKey(endpoint, event);
  const known = principal ? callerOfPrincipal(principal) : caller;
  if (key === undefined || !scope || known === undefined) return answer();
  const failureOf = (error: unknown) => failureResult(endpoint, error, event.requestContext.requestId);
  const open = async () => {
    await parseBody(endpoint, event);
    return lasting?.openRequest(scope, endpoint, parseRequest(endpoint, event));
  };
  const request = { endpoint, event, scope, caller: known, key, failureOf, open };
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

export async function runEndpoint(
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
