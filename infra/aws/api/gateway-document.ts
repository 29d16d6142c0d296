import { gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import { gatewayResponses } from '../../gateway-responses.ts';
import { preflightsFor } from '../../preflights.ts';
import { refusedMethods } from '../../refused-methods.ts';
import type { Route } from '../../routes.ts';
import { unofferedPaths } from '../../unoffered-paths.ts';
import { preflightMethod } from './preflight-method.ts';
import { refusedMethod } from './refused-method.ts';
import { unofferedMethod } from './unoffered-method.ts';

interface Wiring {
  /** The name of the API. */
  title: string;
  /** The integration URI of a Lambda, by id. */
  uriOf: (id: string, options?: { streams?: boolean }) => string;
  /** The role that invokes the Lambdas. */
  credentials: string;
  limitPerHour: number;
  corsOrigins: readonly string[];
}

/**
 * The OpenAPI document for API Gateway: routes, integrations and the authorizer. It has no schemas, because the Lambdas
 * validate.
 */
export function gatewayDocument(routes: readonly Route[], wiring: Wiring) {
  const { title, uriOf, credentials, limitPerHour, corsOrigins } = wiring;
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, lambda, isPublic, streams, timeoutSeconds } of routes) {
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        parameters: parametersOf(path),
        responses: { '200': { description: 'The response of the Lambda' } },
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
  for (const unoffered of unofferedPaths(limitPerHour)) {
    const { path } = unoffered;
    const method = { parameters: parametersOf(path), ...unofferedMethod(unoffered) };
    paths[path] = { ...paths[path], 'x-amazon-apigateway-any-method': method };
  }
  for (const refused of refusedMethods) {
    const method = { parameters: parametersOf(refused.path), ...refusedMethod(refused) };
    paths[refused.path] = { ...paths[refused.path], [refused.method.toLowerCase()]: method };
  }
  for (const preflight of preflightsFor(corsOrigins, routes)) {
    const options = { parameters: parametersOf(preflight.path), ...preflightMethod(preflight) };
    paths[preflight.path] = { ...paths[preflight.path], options };
  }
  return {
    openapi: '3.0.1',
    info: { title, version: '1.0.0' },
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
    // Only base64 preserves the bytes of a CSV file.
    'x-amazon-apigateway-binary-media-types': ['multipart/form-data'],
    'x-amazon-apigateway-gateway-responses': Object.fromEntries(
      Object.entries(gatewayResponses(limitPerHour)).map(([type, { statusCode, body, headers }]) => [
        type,
        {
          statusCode,
          responseTemplates: { 'application/json': JSON.stringify(body) },
          responseParameters: Object.fromEntries(
            Object.entries({ ...headers, ...gatewayCorsHeaders }).map(([name, value]) => [
              `gatewayresponse.header.${name}`,
              `'${value}'`,
            ]),
          ),
        },
      ]),
    ),
  };
}

const parametersOf = (path: string) =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
