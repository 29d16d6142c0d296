import type { APIGatewayProxyEvent } from 'aws-lambda';
import { invalid } from '../../../core/errors/errors.ts';
import { plainStart } from '../../../core/plain-start.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { EmptyBody, parseOrReject } from '../validation.ts';
import { takesKnownQuery } from './error-statuses.ts';

/** The parameters, the query and the body of a request, as the endpoint declares them. @throws 400 */
export function parseRequest(endpoint: AnyEndpoint, event: APIGatewayProxyEvent) {
  const { params, query, body, needsBody, method } = endpoint;
  const input = {
    params: decoded(event.pathParameters ?? {}),
    query: event.queryStringParameters ?? {},
    body: event.body ?? undefined,
  };
  assertKnownQuery(endpoint, Object.keys(input.query));
  return {
    params: params && parseOrReject(params, input.params),
    query: query && parseOrReject(query, input.query),
    body: body
      ? parseOrReject(body, needsBody ? event.body : (input.body ?? {}))
      : method !== 'GET' && parseOrReject(EmptyBody, input.body),
  };
}

/** A filter with a wrong name would give everything. */
function assertKnownQuery(endpoint: AnyEndpoint, sent: readonly string[]) {
  if (!takesKnownQuery(endpoint)) return;
  const { query } = endpoint;
  const known = Object.keys(query?.shape ?? {});
  const unknown = sent.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const have = known.length > 0 ? `The parameters are ${known.join(', ')}` : 'It has no parameters';
  throw invalid(
    unknown.map((path) => ({
      path,
      code: 'UNKNOWN_MEMBER',
      message: `"${plainStart(path, 100)}" is not a query parameter of this operation. ${have}`,
    })),
  );
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
