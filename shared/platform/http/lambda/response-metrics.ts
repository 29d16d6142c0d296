import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { measure, setDimensions } from '../../../core/invocation.ts';
import type { CallerClass } from '../../../core/metrics.ts';
import type { Principal } from '../../identity/principal.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { isStreamed } from '../responses/response.ts';
import type { CallContext } from './admission.ts';

/** Counts each response by the endpoint's group and the caller's class, and measures the time to it. */
export function responseMetrics(
  endpoint: AnyEndpoint,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext> {
  const [group = endpoint.id] = endpoint.id.split('.');
  const count = ({
    context,
    response,
  }: {
    context: CallContext;
    response?: APIGatewayProxyResult | null | undefined;
  }) => {
    const { statusCode = 500 } = response ?? {};
    setDimensions({ group, callerClass: callerClassOf(context.principal) });
    measure('Requests');
    if (statusCode >= 500) measure('ServerErrors');
    else if (statusCode >= 400) measure('ClientErrors');
    if (statusCode === 429) measure('RateLimited');
    // The length of a streamed response is that of its run.
    if (context.startedAt !== undefined && !isStreamed(endpoint))
      measure('Latency', Math.round(performance.now() - context.startedAt));
  };
  return {
    before: ({ context }) => {
      context.startedAt = performance.now();
    },
    after: count,
    onError: count,
  };
}

function callerClassOf(principal: Principal | undefined): CallerClass {
  if (!principal) return 'anonymous';
  if (principal.kind === 'session') return 'session';
  if (principal.kind === 'intake') return 'setup-link';
  return principal.environment === 'test' ? 'test' : 'live';
}
