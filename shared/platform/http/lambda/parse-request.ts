import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AnyEndpoint } from '../endpoint.ts';
import { EmptyBody, parseOrReject } from '../validation.ts';

/** The parameters, the query and the body of a request, as the endpoint declares them. @throws 400 */
export function parseRequest(
  { params, query, body, needsBody, method }: AnyEndpoint,
  event: APIGatewayProxyEvent,
) {
  const input = {
    params: decoded(event.pathParameters ?? {}),
    query: event.queryStringParameters ?? {},
    body: event.body ?? undefined,
  };
  return {
    params: params && parseOrReject(params, input.params),
    query: query && parseOrReject(query, input.query),
    body: body
      ? parseOrReject(body, needsBody ? event.body : (input.body ?? {}))
      : method !== 'GET' && parseOrReject(EmptyBody, input.body),
  };
}

/** API Gateway passes path parameters percent-encoded. */
const decoded = (parameters: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value ?? '')];
      } catch {
        return [name, value];
      }
    }),
  );
