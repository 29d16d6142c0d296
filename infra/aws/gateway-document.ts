import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { isStreamed } from '../../shared/platform/http/response.ts';
import { gatewayResponses } from '../gateway-responses.ts';

/** How long an answer may be streamed: as long as API Gateway and Lambda allow. */
export const streamingSeconds = 900;

interface Wiring {
  /** The URI under which API Gateway invokes a Lambda, by its id. */
  uriOf: (id: string, options?: { streams: boolean }) => string;
  /** The role with which API Gateway invokes Lambdas. */
  credentials: string;
  limitPerHour: number;
}

/** What API Gateway needs to know: routes, integrations, the authorizer. Schemas stay out; the Lambdas validate. */
export function gatewayDocument(
  endpoints: readonly AnyEndpoint[],
  { uriOf, credentials, limitPerHour }: Wiring,
) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const { id, path, method, permission } = endpoint;
    const streams = isStreamed(endpoint);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: id,
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
          name,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        })),
        responses: { default: { description: 'As the Lambda answers' } },
        ...(permission !== 'public' && { security: [{ lambda: [] }] }),
        'x-amazon-apigateway-integration': {
          type: 'aws_proxy',
          httpMethod: 'POST',
          uri: uriOf(id, { streams }),
          credentials,
          ...(streams && { responseTransferMode: 'STREAM', timeoutInMillis: streamingSeconds * 1_000 }),
        },
      },
    };
  }
  return {
    openapi: '3.0.1',
    info: { title: 'Agent and Flow Automation Service', version: '1.0.0' },
    paths,
    components: {
      securitySchemes: {
        lambda: {
          type: 'apiKey',
          name: 'Authorization',
          in: 'header',
          'x-amazon-apigateway-authtype': 'custom',
          'x-amazon-apigateway-authorizer': {
            type: 'request',
            identitySource: 'method.request.header.Authorization',
            authorizerUri: uriOf('authorizer'),
            authorizerCredentials: credentials,
            authorizerResultTtlInSeconds: 60,
          },
        },
      },
    },
    // CSV bytes survive only as base 64.
    'x-amazon-apigateway-binary-media-types': ['multipart/form-data'],
    'x-amazon-apigateway-gateway-responses': Object.fromEntries(
      Object.entries(gatewayResponses(limitPerHour)).map(([type, { statusCode, body, headers }]) => [
        type,
        {
          statusCode,
          responseTemplates: { 'application/json': JSON.stringify(body) },
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, `'${value}'`]),
          ),
        },
      ]),
    ),
  };
}
