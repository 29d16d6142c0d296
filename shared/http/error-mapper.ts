import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { log } from '../log.ts';
import { ApiError } from './errors.ts';
import type { CallContext } from './lambda.ts';

/** Turns whatever was thrown into a response. A 500 tells the request's id and nothing of the inside. */
export const errorMapper = (): MiddlewareObj<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  CallContext
> => ({
  onError: async (request) => {
    const { requestId } = request.event.requestContext;
    const admission = await request.context.admission?.catch(() => undefined);
    const error = admission?.refusal ?? request.error;
    if (error instanceof ApiError) {
      const { status, message, details, extra, headers } = error;
      const body = { error: message, ...(details !== undefined && { details }), ...extra };
      request.response = json(status, body, headers);
    } else {
      log.error('Unhandled error', { error, requestId });
      request.response = json(500, { error: 'Internal server error', details: `Request ${requestId}` });
    }
  },
});

export const json = (statusCode: number, body: unknown, headers = {}): APIGatewayProxyResult => ({
  statusCode,
  // What is answered belongs to whoever asked.
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: body === undefined ? '' : JSON.stringify(body),
});
