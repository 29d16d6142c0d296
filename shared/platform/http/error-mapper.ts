import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, internalError } from '../../core/errors.ts';
import { log } from '../../core/log.ts';
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
    if (!(error instanceof ApiError)) log.error('Unhandled error', { error, requestId });
    else if (error.status === 504) log.error('A request ran out of its time', { requestId });
    const seen = error instanceof ApiError ? error : internalError(requestId);
    request.response = json(seen.status, errorBody(seen), seen.headers);
  },
});

const errorBody = ({ message, details, extra }: ApiError) => ({
  error: message,
  ...(details !== undefined && { details }),
  ...extra,
});

export const json = (statusCode: number, body: unknown, headers = {}): APIGatewayProxyResult => ({
  statusCode,
  // What is answered belongs to whoever asked.
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: body === undefined ? '' : JSON.stringify(body),
});
