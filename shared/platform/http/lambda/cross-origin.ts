import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { AnyEndpoint } from '../endpoint.ts';
import { corsHeaders, corsOrigins } from '../responses/cors.ts';

export function crossOrigin({
  anyOrigin,
}: Pick<AnyEndpoint, 'anyOrigin'>): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const add: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>['after'] = ({ event, response }) => {
    if (!response) return;
    const origin = originOf(event);
    const origins = anyOrigin ? [origin ?? 'null'] : corsOrigins();
    const { Vary, ...others } = corsHeaders(origin, origins);
    const varies = [response.headers?.Vary, Vary].filter(Boolean).join(', ');
    response.headers = { ...response.headers, ...others, ...(varies && { Vary: varies }) };
  };
  return { after: add, onError: add };
}

/** A middleware may fail before header names are in lower case. */
const originOf = ({ headers }: APIGatewayProxyEvent) =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'origin')?.[1];
