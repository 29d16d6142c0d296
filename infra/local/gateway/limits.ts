import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { answerBytesMax, eventBytesMax } from '../../../shared/platform/http/responses/body-sizes.ts';
import { bodyBytesMax } from './bodies.ts';

/** API Gateway's limit of the request line and the headers together. */
export const maxHeaderSize = 10_240;

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
export const bodyTooSlow: APIGatewayProxyResult = {
  statusCode: 408,
  headers: { 'content-type': 'application/json', connection: 'close' },
  body: '{"error": "Request timeout", "details": "The body arrives too slowly. Send the request again"}',
};
export const eventTooLarge: APIGatewayProxyResult = {
  statusCode: 413,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'BadRequestException' },
  body: '{"message": "Request Too Long"}',
};
