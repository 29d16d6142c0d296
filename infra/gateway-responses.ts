import {
  type DetailsOf,
  type ErrorDetail,
  type ErrorStatus,
  type ListStatus,
  unauthorized,
} from '../shared/core/errors.ts';

/** What API Gateway itself answers, without a Lambda: the types of `AWS::ApiGateway::GatewayResponse`. */
export type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'API_CONFIGURATION_ERROR'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'AUTHORIZER_FAILURE'
  | 'BAD_REQUEST_BODY'
  | 'BAD_REQUEST_PARAMETERS'
  | 'DEFAULT_4XX'
  | 'DEFAULT_5XX'
  | 'INTEGRATION_FAILURE'
  | 'INTEGRATION_TIMEOUT'
  | 'INVALID_SIGNATURE'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'QUOTA_EXCEEDED'
  | 'REQUEST_TOO_LARGE'
  | 'RESOURCE_NOT_FOUND'
  | 'THROTTLED'
  | 'UNAUTHORIZED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'WAF_FILTERED';

export interface GatewayResponse {
  statusCode: number;
  /** API Gateway puts values in place of `$context.…`. */
  body: { error: string; details: string | ErrorDetail[] | undefined };
  headers: Record<string, string>;
}

/** @param limitPerHour The default limit of a key, which stands in the headers of every answer. */
export function gatewayResponses(limitPerHour: number): Record<GatewayResponseType, GatewayResponse> {
  const headers = {
    // No key was counted, so nothing is left of it and no window ends.
    'X-RateLimit-Limit': String(limitPerHour),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '0',
  };
  const answer = <S extends ErrorStatus>(
    statusCode: S,
    error: string,
    details: DetailsOf<S>,
  ): GatewayResponse => ({ statusCode, body: { error, details }, headers });
  const listed = (statusCode: ListStatus, error: string, code: string, message: string) =>
    answer(statusCode, error, [{ code, message }]);
  const { message: error, details, headers: challenge } = unauthorized();
  const noCredential = {
    ...answer(401, error, details),
    headers: { ...headers, ...challenge },
  };
  const noRoute = listed(
    404,
    'Not found',
    'NO_SUCH_ENDPOINT',
    'No such endpoint: $context.httpMethod $context.path',
  );
  const throttled = {
    ...answer(429, 'Rate limit exceeded', 'Too many requests at once: try again in a moment'),
    headers: { ...headers, 'Retry-After': '1' },
  };
  const broken = listed(500, 'Internal server error', 'INTERNAL', 'Request $context.requestId');

  return {
    // The authorizer refuses only credentials that it does not know: permissions are the Lambda's.
    ACCESS_DENIED: noCredential,
    UNAUTHORIZED: noCredential,
    // What API Gateway calls a route that it does not have, and one asked for with an Authorization header.
    MISSING_AUTHENTICATION_TOKEN: noRoute,
    INVALID_SIGNATURE: noRoute,
    RESOURCE_NOT_FOUND: noRoute,
    BAD_REQUEST_BODY: listed(400, 'Bad request', 'MALFORMED_BODY', 'The body of the request is malformed'),
    BAD_REQUEST_PARAMETERS: listed(
      400,
      'Bad request',
      'MALFORMED_PARAMETER',
      'A parameter of the request is malformed',
    ),
    REQUEST_TOO_LARGE: listed(413, 'Payload too large', 'TOO_LARGE', 'The body may have 10 MB at most'),
    UNSUPPORTED_MEDIA_TYPE: listed(
      415,
      'Unsupported media type',
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as application/json',
    ),
    WAF_FILTERED: answer(403, 'Forbidden', 'The request was blocked'),
    THROTTLED: throttled,
    QUOTA_EXCEEDED: throttled,
    INTEGRATION_FAILURE: listed(502, 'Bad gateway', 'BAD_GATEWAY', 'Request $context.requestId'),
    INTEGRATION_TIMEOUT: listed(
      504,
      'Gateway timeout',
      'TIMEOUT',
      'Request $context.requestId took too long',
    ),
    API_CONFIGURATION_ERROR: broken,
    AUTHORIZER_CONFIGURATION_ERROR: broken,
    AUTHORIZER_FAILURE: broken,
    DEFAULT_4XX: listed(400, 'Bad request', 'MALFORMED_REQUEST', 'The request is malformed'),
    DEFAULT_5XX: broken,
  };
}
