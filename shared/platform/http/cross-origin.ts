import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { corsHeaders, corsOrigins } from './cors.ts';

/** Adds the CORS headers to every response. */
export function crossOrigin(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const add: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>['after'] = ({ event, response }) => {
    if (!response) return;
    response.headers = { ...response.headers, ...corsHeaders(originOf(event), corsOrigins()) };
  };
  return { after: add, onError: add };
}

/** A middleware may fail before header names are in lower case. */
const originOf = ({ headers }: APIGatewayProxyEvent) =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'origin')?.[1];
