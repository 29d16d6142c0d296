import { endpoints } from '../functions/index.ts';
import { sites } from '../functions/sites/index.ts';
import type { AnyEndpoint } from '../shared/platform/http/endpoint.ts';
import { isStreamed } from '../shared/platform/http/response.ts';

/** A method and path of the gateway, and the Lambda that answers it. */
export interface Route {
  method: AnyEndpoint['method'];
  /** As API Gateway writes it: `{id}` is a segment, `{proxy+}` at the end is one or more. */
  path: string;
  /** The id of the Lambda. */
  lambda: string;
  /** Whether API Gateway asks no authorizer. */
  isPublic: boolean;
  /** Whether the Lambda writes its response into a stream. */
  streams: boolean;
  timeoutSeconds: number;
}

/** The Lambda that serves the files of all sites: `functions/static-files.ts`. */
export const staticFilesLambda = 'static-files';

/** The longest that API Gateway waits for a whole response. */
export const requestSeconds = 29;
/** The longest that API Gateway and Lambda let a response be streamed. */
const streamingSeconds = 900;

/** How long the Lambda of an endpoint may run. */
export const secondsOf = (endpoint: AnyEndpoint) =>
  isStreamed(endpoint) ? streamingSeconds : requestSeconds;

const all: readonly AnyEndpoint[] = endpoints;

/** Every route of the gateway: those of the endpoints and of the sites of static files. */
export const routes: readonly Route[] = [
  ...all.map((endpoint) => ({
    method: endpoint.method,
    path: endpoint.path,
    lambda: endpoint.id,
    isPublic: endpoint.permission === 'public',
    streams: isStreamed(endpoint),
    timeoutSeconds: secondsOf(endpoint),
  })),
  ...sites
    .flatMap((site) => site.routes)
    .map((path) => ({
      ...{ method: 'GET' as const, path, lambda: staticFilesLambda },
      ...{ isPublic: true, streams: true, timeoutSeconds: requestSeconds },
    })),
];
