import { gatewayResponses } from '../gateway-responses.ts';
import type { Route } from '../routes.ts';

interface Wiring {
  /** The URI under which API Gateway invokes a Lambda, by its id. */
  uriOf: (id: string, options?: { streams: boolean }) => string;
  /** The role with which API Gateway invokes Lambdas. */
  credentials: string;
  limitPerHour: number;
}

/** What API Gateway needs to know: routes, integrations, the authorizer. Schemas stay out; the Lambdas validate. */
export function gatewayDocument(routes: readonly Route[], { uriOf, credentials, limitPerHour }: Wiring) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, lambda, isPublic, streams, timeoutSeconds } of routes) {
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        parameters: [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => ({
          name,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        })),
        responses: { default: { description: 'As the Lambda answers' } },
        ...(!isPublic && { security: [{ lambda: [] }] }),
        'x-amazon-apigateway-integration': {
          type: 'aws_proxy',
          httpMethod: 'POST',
          uri: uriOf(lambda, { streams }),
          credentials,
          ...(streams && { responseTransferMode: 'STREAM', timeoutInMillis: timeoutSeconds * 1_000 }),
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
