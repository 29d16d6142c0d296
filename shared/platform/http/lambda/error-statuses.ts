import type { AnyEndpoint } from '../endpoint.ts';
import { takesIdempotencyKey } from '../idempotency-key.ts';

type Declared = Pick<AnyEndpoint, 'errors' | 'method' | 'permission' | 'scope' | 'noIdempotencyKey'>;

export const takesCredential = ({ permission, scope }: Declared): boolean =>
  permission !== 'public' || (scope !== undefined && scope !== 'none' && scope.kind !== 'from');

/** Every error status that an endpoint may return, in ascending order. */
export function errorStatuses(endpoint: Declared): number[] {
  const { errors = [], method } = endpoint;
  const ofCredential = takesCredential(endpoint) ? [401, 403] : [];
  const ofKey = takesIdempotencyKey(endpoint) ? [400, 409, 422] : [];
  const ofBody = method === 'GET' ? [] : [413, 415, 507];
  return [...new Set([...errors, ...ofCredential, ...ofKey, ...ofBody, 429, 500, 504])].sort((a, b) => a - b);
}
