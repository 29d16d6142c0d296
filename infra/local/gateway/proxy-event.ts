import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { accountId, region } from '../runtime/account.ts';

const apiId = 'local';
const stage = 'local';

/** Builds the event of a Lambda proxy integration, without body and path parameters. */
export function toProxyEvent(request: IncomingMessage, path: string, query: string): APIGatewayProxyEvent {
  const multiValueHeaders = headersOf(request);
  const multiValueQuery = queryOf(query);
  const httpMethod = request.method ?? 'GET';
  const now = new Date();
  return {
    resource: path,
    path,
    httpMethod,
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: multiValueQuery && lastOf(multiValueQuery),
    multiValueQueryStringParameters: multiValueQuery,
    pathParameters: null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
    requestContext: {
      accountId,
      apiId,
      authorizer: undefined,
      domainName: request.headers.host ?? 'localhost',
      httpMethod,
      identity: identityOf(request),
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId: randomUUID(),
      requestTime: now.toUTCString(),
      requestTimeEpoch: now.getTime(),
      resourceId: path,
      resourcePath: path,
      stage,
    },
  };
}

/** Builds the event of a REQUEST authorizer. */
export function toAuthorizerEvent(event: APIGatewayProxyEvent): APIGatewayRequestAuthorizerEvent {
  const { body: _body, isBase64Encoded: _encoded, ...request } = event;
  const { httpMethod, path } = request;
  const methodArn = `arn:aws:execute-api:${region}:${accountId}:${apiId}/${stage}/${httpMethod}${path}`;
  return { type: 'REQUEST', methodArn, ...request } as APIGatewayRequestAuthorizerEvent;
}

/** Groups values by the names that the client sent, with every value. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (Object.hasOwn(headers, name)) headers[name]?.push(value);
    else define(headers, name, value);
  }
  return headers;
}

function queryOf(query: string): Record<string, string[]> | null {
  if (query === '') return null;
  const parameters: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(parameters, name)) parameters[name]?.push(value);
    else define(parameters, name, value);
  }
  return parameters;
}

/** Safe for `__proto__`, which an assignment would interpret. */
const define = (target: object, name: string, value: string) =>
  Object.defineProperty(target, name, {
    value: [value],
    enumerable: true,
    writable: true,
    configurable: true,
  });

const lastOf = (multiValue: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(multiValue).map(([name, values]) => [name, values.at(-1)]));

const identityOf = (request: IncomingMessage): APIGatewayProxyEvent['requestContext']['identity'] => ({
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  user: null,
  userAgent: request.headers['user-agent'] ?? null,
  userArn: null,
});
