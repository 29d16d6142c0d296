import { groups } from '../functions/index.ts';
import { noSuchEndpoint } from '../shared/core/errors/errors.ts';
import { toRateLimitHeaders } from '../shared/platform/auth/rate-limit-windows.ts';
import type { EndpointGroup } from '../shared/platform/http/endpoint.ts';
import type { HttpError } from '../shared/platform/http/responses/http-errors.ts';

/** A path for whose methods, as far as no route has them, the gateway makes a 404 in the form of a protocol. */
export interface UnofferedPath {
  path: string;
  /** API Gateway substitutes `$context.…`. */
  response: Omit<HttpError, 'body'> & { body: object };
}

/** @param limitPerHour The default limit of a key, for the headers of every response. */
export const unofferedPaths = (limitPerHour: number): readonly UnofferedPath[] =>
  Object.values<EndpointGroup>(groups).flatMap(({ endpoints, unoffered }) => {
    if (!unoffered) return [];
    const { below, errorBody } = unoffered;
    const error = noSuchEndpoint('$context.httpMethod', '$context.path');
    const headers = toRateLimitHeaders({ limit: limitPerHour, remaining: limitPerHour, reset: 0 });
    const response = { statusCode: 404, headers, body: errorBody.bodyOf(error, 404) };
    // API Gateway looks for a method at the path that fits best only.
    const paths = [below, `${below}/{proxy+}`, ...endpoints.map(({ path }) => path)];
    return [...new Set(paths)].map((path) => ({ path, response }));
  });
