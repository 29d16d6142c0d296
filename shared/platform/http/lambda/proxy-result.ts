import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { hasCode, ServiceError } from '../../../core/errors/errors.ts';
import { clientJson } from '../../../core/json/exact-json.ts';
import { log } from '../../../core/log.ts';
import { createStorageFull, isStorageFull } from '../../aws/storage-full.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { fitsAnswer } from '../responses/body-sizes.ts';
import { toHttpError } from '../responses/http-errors.ts';
import type {
  Bodies,
  Caching,
  EndpointResponse,
  Redirection,
  RedirectResponse,
} from '../responses/response.ts';
import type { StreamedBody } from '../responses/streamed-body.ts';
import { createEtag, isEtagMatch } from '../static-files.ts';
import type { CallContext } from './admission.ts';

interface StatusAndBody {
  status: number;
  body: unknown;
}

/** JSON is encoded with its schema. @param ifNoneMatch The header of the request. */
export function toProxyResult(
  response: EndpointResponse,
  reply: unknown,
  ifNoneMatch?: string,
): APIGatewayProxyResult {
  switch (response.kind) {
    case 'redirect':
      return toRedirectResult(response, reply as string | Redirection);
    case 'sse':
    case 'stream':
      return isStreamedBody(reply)
        ? toStreamedResult(reply)
        : toJsonResult(response.bodies ?? {}, reply as StatusAndBody);
    case 'json': {
      const [status, another] = Object.keys(response.bodies);
      const isOnly = another === undefined;
      const result = toJsonResult(
        response.bodies,
        isOnly ? { status: Number(status), body: reply } : (reply as StatusAndBody),
      );
      return response.cached ? toCacheableResult(result, response.cached, reply, ifNoneMatch) : result;
    }
  }
}

/** @throws ServiceError RESPONSE_TOO_LARGE if Lambda would refuse the answer. */
export function toJsonProxyResult(statusCode: number, body: unknown, headers = {}): APIGatewayProxyResult {
  const text = body === undefined ? '' : clientJson(body);
  if (!fitsAnswer(text)) throw createTooLargeError();
  // Responses are private to the caller.
  const ownHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { statusCode, headers: { ...ownHeaders, ...headers }, body: text };
}

const createTooLargeError = () =>
  new ServiceError(
    'RESPONSE_TOO_LARGE',
    'The response would be larger than 6 MB. What the request wrote remains. Request less at once',
  );

function toJsonResult(bodies: Bodies, { status, body }: StatusAndBody): APIGatewayProxyResult {
  const schema = bodies[status as keyof Bodies];
  if (!schema) throw new Error(`The endpoint declares no body for the status ${status}`);
  return toJsonProxyResult(status, schema.parse(body));
}

function toCacheableResult(
  result: APIGatewayProxyResult,
  { maxAgeSeconds, varies, meaningOf = (body) => body }: Caching,
  reply: unknown,
  ifNoneMatch = '',
): APIGatewayProxyResult {
  const etag = createEtag(meaningOf(reply as never));
  const headers = {
    ...result.headers,
    etag,
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    ...(varies && { Vary: varies }),
  };
  return isEtagMatch(ifNoneMatch, etag) ? { statusCode: 304, headers, body: '' } : { ...result, headers };
}

const isStreamedBody = (reply: unknown): reply is StreamedBody =>
  (reply as StreamedBody).stream !== undefined;

/** Middy accepts a stream as the body, although the type of a proxy result allows only text. */
const toStreamedResult = ({
  statusCode = 200,
  contentType,
  headers,
  stream,
}: StreamedBody): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': contentType, 'cache-control': 'no-store', ...headers },
  body: stream as unknown as string,
});

function toRedirectResult(
  { maxAgeSeconds }: RedirectResponse,
  reply: string | Redirection,
): APIGatewayProxyResult {
  const { location, ...more } = typeof reply === 'string' ? { location: reply } : reply;
  const caching =
    maxAgeSeconds === null
      ? { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
      : { 'cache-control': `public, max-age=${maxAgeSeconds}` };
  const headers = { location, ...caching, ...('cookie' in more && { 'set-cookie': more.cookie }) };
  return { statusCode: 302, headers, body: '' };
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
