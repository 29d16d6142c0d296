import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/**
 * One JSON object per request. API Gateway escapes the values and writes `-` for missing ones, so all are texts. The
 * path is that of the route: paths of requests contain ids. `tenant`, `kind` and `keyId` come from the authorizer.
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    extendedRequestId: AccessLogField.contextExtendedRequestId(),
    traceId: AccessLogField.contextXrayTraceId(),
    time: AccessLogField.contextRequestTime(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    responseType: AccessLogField.contextErrorResponseType(),
    responseBytes: AccessLogField.contextResponseLength(),
    latencyMs: AccessLogField.contextResponseLatency(),
    integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
    integrationStatus: AccessLogField.contextIntegrationStatus(),
    integrationError: '$context.integration.error',
    authorizerLatencyMs: AccessLogField.contextAuthorizerIntegrationLatency(),
    authorizerStatus: AccessLogField.contextAuthorizerIntegrationStatus(),
    authorizerError: AccessLogField.contextAuthorizerError(),
    tenant: AccessLogField.contextAuthorizer('tenant'),
    user: AccessLogField.contextAuthorizerPrincipalId(),
    kind: AccessLogField.contextAuthorizer('kind'),
    keyId: AccessLogField.contextAuthorizer('keyId'),
    waf: AccessLogField.contextWafResponseCode(),
    wafError: AccessLogField.contextWafError(),
    sourceIp: AccessLogField.contextIdentitySourceIp(),
    userAgent: AccessLogField.contextIdentityUserAgent(),
  }),
);
