import { preflightHeaders } from '../shared/platform/http/responses/cors.ts';
import { refusedMethods } from './refused-methods.ts';
import { routes, staticFilesLambda } from './routes.ts';

/** Pages may try them too, to get the 405. */
const refusedAt = (path: string) =>
  refusedMethods.filter((refused) => refused.path === path).map(({ method }) => method);

/** A path whose preflight requests (OPTIONS) the gateway answers with 204, without authorizer and Lambda. */
export interface Preflight {
  method: 'OPTIONS';
  path: string;
  /** What the path offers. The gateway adds the headers of `allowOrigin`. */
  headers: Readonly<Record<string, string>>;
  /** The origins whose pages may call it. */
  origins: readonly string[];
}

/**
 * One for each path that pages of some origin may call.
 * @param origins The origins of the deployment. Endpoints with `anyOrigin` decide themselves which ones they serve.
 */
export const preflightsFor = (origins: readonly string[], offered = routes): readonly Preflight[] =>
  // Pages of other origins have no use for the static files.
  [...Map.groupBy(offered, ({ path, lambda }) => (lambda === staticFilesLambda ? undefined : path))]
    .flatMap(([path, some]) => (path === undefined ? [] : [[path, some] as const]))
    .map(([path, some]) => ({
      method: 'OPTIONS' as const,
      path,
      headers: preflightHeaders(
        // Browsers ask for HEAD no more than for what it is of.
        [...some.map(({ method }) => method), ...refusedAt(path)].filter((method) => method !== 'HEAD'),
        [...new Set(some.flatMap(({ requestHeaders = [] }) => requestHeaders))],
      ),
      origins: some.some(({ anyOrigin }) => anyOrigin) ? ['*'] : origins,
    }))
    .filter((preflight) => preflight.origins.length > 0);
