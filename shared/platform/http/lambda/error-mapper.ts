import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { hasCode, ServiceError } from '../../../core/errors/errors.ts';
import { log } from '../../../core/log.ts';
import { createStorageFull, isStorageFull } from '../../aws/storage-full.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { toHttpError } from '../responses/http-errors.ts';
import type { CallContext } from './admission.ts';
import { toJsonProxyResult } from './proxy-result.ts';

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
