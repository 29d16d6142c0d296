import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { DetailCode } from '../../../shared/core/errors/error-codes.ts';
import { defaultLimits } from '../../../shared/platform/auth/rate-limit-windows.ts';
import {
  answerBytesMax,
  eventBytesMax,
  maxHeaderSize,
} from '../../../shared/platform/http/responses/body-sizes.ts';
import { gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import { gatewayResponses } from '../../gateway-responses.ts';
import { bodyBytesMax } from './bodies.ts';

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Whether Lambda refuses the event. A character of its body takes at most 6 bytes of it, all the rest 100 KB. */
export const isEventTooLarge = (event: APIGatewayProxyEvent) =>
  (event.body?.length ?? 0) > 1_000_000 && jsonBytes(event) > eventBytesMax;

/** Whether Lambda refuses the answer of a handler. API Gateway then returns a 502. */
export const isAnswerTooLarge = (answer: APIGatewayProxyResult) => jsonBytes(answer) > answerBytesMax;

/** API Gateway returns the following as they are: its gateway response REQUEST_TOO_LARGE cannot be customized. */
export const bodyTooLarge: APIGatewayProxyResult = {
  statusCode: 413,
  headers: { 'content-type': 'text; charset=utf-8' },
  body: `HTTP content length exceeded ${bodyBytesMax} bytes.`,
};
export const eventTooLarge: APIGatewayProxyResult = {
  statusCode: 413,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'BadRequestException' },
  body: '{"message": "Request Too Long"}',
};

/** An error in the form of the service, with a status that no error of the service has. */
const gatewayFailure = (statusCode: number, error: string, code: DetailCode, message: string) => ({
  statusCode,
  headers: {
    ...gatewayResponses(defaultLimits().perHour).DEFAULT_4XX.headers,
    ...gatewayCorsHeaders,
    'content-type': 'application/json',
    connection: 'close',
  },
  body: JSON.stringify({ error, details: [{ code, message }] }),
});

export const requestTooSlow = () =>
  gatewayFailure(408, 'Request timeout', 'TIMEOUT', 'The request arrives too slowly. Send it again');

export const headersTooLarge = () =>
  gatewayFailure(
    431,
    'Request header fields too large',
    'TOO_LARGE',
    `The request line and the headers have more than ${maxHeaderSize} bytes together. Send fewer or shorter headers, or a shorter query`,
  );
