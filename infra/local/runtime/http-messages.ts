import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { defaultLimits } from '../../../shared/platform/auth/rate-limit-windows.ts';
import { gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import { type GatewayResponseType, gatewayResponses } from '../../gateway-responses.ts';

/** API Gateway's limit of a body. */
export const bodyBytesMax = 10 * 1024 * 1024;

/**
 * Reads the whole body; `undefined` if it is too large. Reads an oversized body to its end too, so that the client
 * receives the error.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // If the size is known, read into one buffer: collecting chunks would hold a file in memory twice.
  const contentLength = Number(request.headers['content-length'] ?? 0);
  let body = Buffer.allocUnsafe(Math.min(contentLength || 64 * 1024, bodyBytesMax));
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const end = bytes + chunk.length;
    if (end <= bodyBytesMax) {
      if (end > body.length) body = Buffer.concat([body], Math.min(2 * end, bodyBytesMax));
      chunk.copy(body, bytes);
    }
    bytes = end;
  }
  return bytes <= bodyBytesMax ? body.subarray(0, bytes) : undefined;
}

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
export function gatewayAnswer(
  type: GatewayResponseType,
  { requestContext }: APIGatewayProxyEvent,
): APIGatewayProxyResult {
  const { statusCode, body, headers } = gatewayResponses(defaultLimits().perHour)[type];
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
  if (result.statusCode !== 204) response.setHeader('content-length', body.length);
  response.end(body);
}

export function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
