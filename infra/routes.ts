import { endpoints } from '../functions/index.ts';
import { sites } from '../functions/sites/index.ts';
import type { AnyEndpoint } from '../shared/platform/http/endpoint.ts';
import { isStreamed } from '../shared/platform/http/responses/response.ts';

/** A method and path of the gateway, and its Lambda. */
export interface Route {
  method: AnyEndpoint['method'] | 'HEAD';
  /** In API Gateway's syntax: `{id}` is one segment, a trailing `{proxy+}` is one or more. */
  path: string;
  /** The id of the Lambda. */
  lambda: string;
  /** Whether the route has no authorizer. */
  isPublic: boolean;
  /** Whether the Lambda verifies the credential, in place of the authorizer. */
  verifiesCredential?: boolean;
  /** Whether pages of every origin may call it, whatever the deployment's origins are. */
  anyOrigin?: boolean;
  /** The headers that pages of other origins may send, besides those of all routes. */
  requestHeaders?: readonly string[];
  /** Whether the Lambda streams its response. */
  streams: boolean;
  timeoutSeconds: number;
}

/** The Lambda that serves every static site: `functions/static-files.ts`. */
export const staticFilesLambda = 'static-files';

/** API Gateway's timeout for a buffered response. */
export const requestSeconds = 29;
/** The timeout of API Gateway and Lambda for a streamed response. */
const streamingSeconds = 900;

/** The timeout of an endpoint's Lambda. */
export const endpointTimeoutSeconds = (endpoint: AnyEndpoint) =>
  isStreamed(endpoint) ? streamingSeconds : requestSeconds;

/** Every route of a gateway with these endpoints: theirs, those of the static sites, and a HEAD for each GET. */
export function listRoutes(all: readonly AnyEndpoint[]): readonly Route[] {
  const offered = [...routesOfEndpoints(all), ...routesOfSites];
  const readable = offered.filter(({ method }) => method === 'GET');
  return [...offered, ...readable.map((route) => ({ ...route, method: 'HEAD' as const }))];
}

const routesOfEndpoints = (all: readonly AnyEndpoint[]): Route[] =>
  all.map((endpoint) => ({
    method: endpoint.method,
    path: endpoint.path,
    lambda: endpoint.id,
    isPublic: endpoint.permission === 'public' || endpoint.credential !== undefined,
    ...(endpoint.credential && { verifiesCredential: true }),
    ...(endpoint.anyOrigin && { anyOrigin: true }),
    ...(endpoint.requestHeaders && { requestHeaders: endpoint.requestHeaders }),
    streams: isStreamed(endpoint),
    timeoutSeconds: endpointTimeoutSeconds(endpoint),
  }));

const routesOfSites: readonly Route[] = sites
  .flatMap((site) => site.routes)
  .map((path) => ({
    method: 'GET' as const,
    path,
    lambda: staticFilesLambda,
    isPublic: true,
    streams: true,
    timeoutSeconds: requestSeconds,
  }));

export const routes = listRoutes(endpoints);
