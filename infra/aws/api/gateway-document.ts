import { allowOrigin, gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import { gatewayResponses } from '../../gateway-responses.ts';
import { type Preflight, preflightsFor } from '../../preflights.ts';
import { type RefusedMethod, refusedMethods } from '../../refused-methods.ts';
import type { Route } from '../../routes.ts';
import { type UnofferedPath, unofferedPaths } from '../../unoffered-paths.ts';

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

const allowed = 'Access-Control-Allow-Origin';

/** The OPTIONS method of a path: a mock integration, so no Lambda runs. */
function preflightMethod({ headers, origins }: Preflight) {
  const constant = { ...headers, ...allowOrigin(undefined, origins) };
  const names = [...new Set([...Object.keys(constant), allowed])];
  return {
    responses: {
      '204': {
        description: 'The answer to a preflight request',
        headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{"statusCode": 204}' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: Object.fromEntries(
            Object.entries(constant).map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
          ...(!(allowed in constant) && {
            responseTemplates: { 'application/json': comparison(origins) },
          }),
        },
      },
    },
  };
}

/**
 * A template that compares the origin, because a constant header can name only one. Header names reach it as they were
 * sent: in lower case with HTTP/2.
 */
function comparison(origins: readonly string[]): string {
  const isAllowed = origins.map((origin) => `$origin == "${origin}"`).join(' || ');
  return `#set($headers = $input.params().header)
#set($origin = $headers.get("Origin"))
#if(!$origin)#set($origin = $headers.get("origin"))#end
#if(${isAllowed})#set($context.responseOverride.header.${allowed} = $origin)#end`;
}

/** The method of a path that is answered with 405: a mock integration, so no Lambda runs. */
function refusedMethod({ headers }: RefusedMethod) {
  const all = Object.entries({ ...headers, ...gatewayCorsHeaders });
  const declared = all.map(([name]) => [name, { schema: { type: 'string' } }]);
  return {
    responses: { '405': { description: 'Not allowed', headers: Object.fromEntries(declared) } },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{"statusCode": 405}' },
      responses: {
        default: {
          statusCode: '405',
          responseParameters: Object.fromEntries(
            all.map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
        },
      },
    },
  };
}

/** A mock integration takes a body only in media types that it has a template for. */
const mediaTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
];

/** Inside of a text of JSON, which knows no escaped apostrophe. */
const escaped = (name: string) => `$util.escapeJavaScript(${name}).replaceAll("\\\\'", "'")`;

/** All methods of a path that no other has: a mock integration, so no Lambda runs. */
function unofferedMethod({ response: { statusCode, headers, body } }: UnofferedPath) {
  const status = String(statusCode);
  const all = Object.entries({ ...headers, ...gatewayCorsHeaders });
  return {
    responses: {
      [status]: {
        description: 'Not offered',
        headers: Object.fromEntries(all.map(([name]) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      contentHandling: 'CONVERT_TO_TEXT',
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(mediaTypes.map((type) => [type, `{"statusCode": ${status}}`])),
      responses: {
        default: {
          statusCode: status,
          responseParameters: Object.fromEntries(
            all.map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
          responseTemplates: {
            'application/json': JSON.stringify(body).replace(/\$context\.\w+/g, escaped),
          },
        },
      },
    },
  };
}
