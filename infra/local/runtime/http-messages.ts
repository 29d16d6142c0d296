import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { ServiceError } from '../../../shared/core/errors/errors.ts';
import { readDefaultLimits } from '../../../shared/platform/auth/rate-limit-windows.ts';
import { gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import { type HttpError, toHttpError } from '../../../shared/platform/http/responses/http-errors.ts';
import { type GatewayResponseType, gatewayResponses } from '../../gateway-responses.ts';

/** `multipart/form-data` is the only binary media type of the API. */
export function encoded(
  body: Buffer,
  contentType = '',
): Pick<APIGatewayProxyEvent, 'body' | 'isBase64Encoded'> {
  if (body.length === 0) return { body: null, isBase64Encoded: false };
  const isBase64Encoded = /^multipart\/form-data\b/i.test(contentType);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

/** A response of API Gateway itself. */
export const gatewayAnswer = (
  type: GatewayResponseType,
  event: APIGatewayProxyEvent,
): APIGatewayProxyResult => filledIn(gatewayResponses(readDefaultLimits().perHour)[type], event);

/** A response of API Gateway whose body has variables. */
export function filledIn(
  { statusCode, body, headers }: Omit<HttpError, 'body'> & { body: object },
  { requestContext }: APIGatewayProxyEvent,
): APIGatewayProxyResult {
  // Escape the value for JSON: a path may contain quotes.
  const text = JSON.stringify(body).replace(
    /\$context\.(httpMethod|path|requestId)/g,
    (_, name: 'httpMethod' | 'path' | 'requestId') => JSON.stringify(requestContext[name]).slice(1, -1),
  );
  return {
    statusCode,
    headers: { ...headers, ...gatewayCorsHeaders, 'content-type': 'application/json' },
    body: text,
  };
}

/** An error of the service that needs no Lambda. */
export function errorAnswer(error: ServiceError): APIGatewayProxyResult {
  const { statusCode, body, headers } = toHttpError(error);
  return {
    statusCode,
    headers: { ...headers, ...gatewayCorsHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Responds on a connection without a request that Node could read, and closes it. */
export function writeRaw(socket: Socket, { statusCode, headers, body }: RawAnswer) {
  const sent = {
    ...headers,
    ...gatewayCorsHeaders,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => {});
  socket.write([`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`, ...lines, '', body].join('\r\n'));
  socket.destroySoon();
}

interface RawAnswer {
  statusCode: number;
  headers?: Record<string, string>;
  body: string;
}

export function write(
  response: ServerResponse,
  result: APIGatewayProxyResult,
  { requestContext }: APIGatewayProxyEvent,
) {
  if (response.destroyed) return;
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  response.statusCode = result.statusCode;
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  for (const [name, values] of Object.entries(result.multiValueHeaders ?? {})) {
    response.setHeader(name, values.map(String));
  }
  response.setHeader('x-amzn-requestid', requestContext.requestId);
  // The length of what a GET would get is not known.
  const isHead = requestContext.httpMethod === 'HEAD';
  if (result.statusCode !== 204 && !isHead) response.setHeader('content-length', body.length);
  response.end(isHead ? undefined : body);
}

export function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
