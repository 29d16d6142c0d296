import { endpoints } from '../functions/index.ts';
import type { AnyEndpoint } from '../shared/platform/http/endpoint.ts';

/** A method of a path that the gateway answers with 405, without authorizer and Lambda. */
export interface RefusedMethod {
  method: AnyEndpoint['method'] | 'HEAD';
  path: string;
  headers: { Allow: string };
}

const all: readonly AnyEndpoint[] = endpoints;

export const refusedMethods: readonly RefusedMethod[] = all.flatMap(
  ({ path, method: allowed, refusedMethods: refused = [] }) =>
    refused
      .flatMap((method) => (method === 'GET' ? ([method, 'HEAD'] as const) : [method]))
      .map((method) => ({ method, path, headers: { Allow: allowed } })),
);
