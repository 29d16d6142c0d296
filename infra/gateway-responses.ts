import type { DetailCode } from '../shared/core/errors/error-codes.ts';
import {
  type ErrorCode,
  invalid,
  noSuchEndpoint,
  ServiceError,
  unauthenticated,
} from '../shared/core/errors/errors.ts';
import { toRateLimitHeaders } from '../shared/platform/auth/rate-limit-windows.ts';
import { type HttpError, toHttpError } from '../shared/platform/http/responses/http-errors.ts';

/** The responses of API Gateway itself, without a Lambda: the types of `AWS::ApiGateway::GatewayResponse`. */
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

/**
 * API Gateway substitutes `$context.…`.
 * @param limitPerHour The default limit of a key, for the headers of every response.
 */
export function gatewayResponses(limitPerHour: number): Record<GatewayResponseType, HttpError> {
  const response = (error: ServiceError): HttpError => {
    const { statusCode, body, headers } = toHttpError(error);
    // No request was counted, so all are left, unless the client is to wait. No window ends.
    const remaining = statusCode === 429 ? 0 : limitPerHour;
    const rateLimit = toRateLimitHeaders({ limit: limitPerHour, remaining, reset: 0 });
    return { statusCode, body, headers: { ...rateLimit, ...headers } };
  };
  const failure = (code: ErrorCode, message: string) => response(new ServiceError(code, message));
  const malformed = (code: DetailCode, message: string) => response(invalid([{ code, message }]));
  const noCredential = response(unauthenticated());
  const noRoute = response(noSuchEndpoint('$context.httpMethod', '$context.path'));
  const throttled = response(
    new ServiceError('RATE_LIMITED', 'Too many concurrent requests. Send the request again in a moment', {
      retryAfterSeconds: 1,
    }),
  );
  const broken = failure('INTERNAL', 'Request $context.requestId');

  return {
    // The authorizer refuses only unknown credentials. The Lambda checks permissions.
    ACCESS_DENIED: noCredential,
    UNAUTHORIZED: noCredential,
    // API Gateway's errors for an unknown route, without and with an Authorization header.
    MISSING_AUTHENTICATION_TOKEN: noRoute,
    INVALID_SIGNATURE: noRoute,
    RESOURCE_NOT_FOUND: noRoute,
    BAD_REQUEST_BODY: malformed('MALFORMED_BODY', 'The body of the request is malformed'),
    BAD_REQUEST_PARAMETERS: malformed('MALFORMED_PARAMETER', 'A parameter of the request is malformed'),
    // API Gateway does not support this one yet and returns its own text.
    REQUEST_TOO_LARGE: failure('TOO_LARGE', 'The body is larger than 10 MB'),
    UNSUPPORTED_MEDIA_TYPE: failure(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as application/json, as it is or in gzip',
    ),
    WAF_FILTERED: failure('FORBIDDEN', 'The firewall blocked the request'),
    THROTTLED: throttled,
    QUOTA_EXCEEDED: throttled,
    INTEGRATION_FAILURE: failure('UPSTREAM_FAILED', 'Request $context.requestId'),
    INTEGRATION_TIMEOUT: failure('TIMEOUT', 'Request $context.requestId timed out'),
    API_CONFIGURATION_ERROR: broken,
    AUTHORIZER_CONFIGURATION_ERROR: broken,
    AUTHORIZER_FAILURE: broken,
    DEFAULT_4XX: malformed('MALFORMED_REQUEST', 'The request is malformed'),
    DEFAULT_5XX: broken,
  };
}
