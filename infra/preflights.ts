import { preflightHeaders } from '../shared/platform/http/cors.ts';
import { routes, staticFilesLambda } from './routes.ts';

/** Pages of other origins have no use for the static files. */
const endpointRoutes = routes.filter(({ lambda }) => lambda !== staticFilesLambda);

/** A path whose preflight requests (OPTIONS) the gateway answers with 204, without authorizer and Lambda. */
export interface Preflight {
  method: 'OPTIONS';
  path: string;
  /** What the path offers. The gateway adds the headers of `allowOrigin`. */
  headers: Readonly<Record<string, string>>;
}

/** One for each path of an endpoint; none if no origin is allowed. */
export const preflightsFor = (origins: readonly string[]): readonly Preflight[] =>
  origins.length === 0
    ? []
    : [...Map.groupBy(endpointRoutes, ({ path }) => path)].map(([path, some]) => ({
        method: 'OPTIONS',
        path,
        headers: preflightHeaders(some.map(({ method }) => method)),
      }));
