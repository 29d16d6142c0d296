import type { AnyEndpoint } from './endpoint.ts';
import { takesIdempotencyKey } from './idempotency-key.ts';

type Declared = Pick<
  AnyEndpoint,
  | 'id'
  | 'errors'
  | 'method'
  | 'permission'
  | 'scope'
  | 'noIdempotencyKey'
  | 'query'
  | 'errorBody'
  | 'protocolErrors'
>;

export const takesCredential = ({ permission, scope }: Declared): boolean =>
  permission !== 'public' || (scope !== undefined && scope !== 'none' && scope.kind !== 'from');

/** Whether other query parameters than its own are a 400. Not of protocols of others, nor of pages whose addresses others make. */
export function takesKnownQuery({ id, method, permission, errorBody, query }: Declared): boolean {
  const isList = (id.split('.').at(-1) ?? '').startsWith('list');
  return method === 'GET' && permission !== 'public' && !errorBody && (query !== undefined || isList);
}

/** Every error status that an endpoint may return, in ascending order. */
export function listErrorStatuses(endpoint: Declared): number[] {
  const { errors = [], method, protocolErrors } = endpoint;
  const ofProtocol = Object.keys(protocolErrors?.statuses ?? {}).map(Number);
  const ofCredential = takesCredential(endpoint) ? [401, 403] : [];
  const ofKey = takesIdempotencyKey(endpoint) ? [400, 409, 422] : [];
  const ofQuery = takesKnownQuery(endpoint) ? [400] : [];
  const ofBody = method === 'GET' ? [] : [408, 413, 415, 507];
  const all = [
    ...errors,
    ...ofProtocol,
    ...ofCredential,
    ...ofKey,
    ...ofQuery,
    ...ofBody,
    429,
    431,
    500,
    504,
  ];
  return [...new Set(all)].sort((a, b) => a - b);
}
