import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { hasCode, ServiceError } from '../../../core/errors/errors.ts';
import { log } from '../../../core/log.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { httpErrorOf } from '../responses/http-errors.ts';
import type { CallContext } from './lambda.ts';
import { json } from './proxy-result.ts';

/** Converts any error into a response. A 500 contains the request id and no internal details. */
export const errorMapper = ({
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
    if (!(error instanceof ServiceError)) log.error('Unhandled error', { error });
    else if (hasCode(error, 'TIMEOUT')) log.error('A request timed out');
    else if (hasCode(error, 'RESPONSE_TOO_LARGE')) log.error('A response was too large');
    const reported =
      error instanceof ServiceError ? error : new ServiceError('INTERNAL', `Request ${requestId}`);
    const { statusCode, body, headers } = httpErrorOf(reported);
    request.response = json(statusCode, errorBody?.bodyOf(reported, statusCode) ?? body, headers);
  },
});
