import { combineRequirements, type Requirements } from '../aws/uses.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { takesIdempotencyKey } from './idempotency-key.ts';

export const combineEndpointRequirements = (endpoint: AnyEndpoint): Requirements => {
  const { needs, scope, credential, open } = endpoint;
  return combineRequirements(
    ...Object.values(needs),
    ...(scope === 'none' ? [] : [scope ?? ('rate-limits' as const)]),
    ...(credential ? [credential] : []),
    ...(open === undefined ? [] : ['open-requests' as const]),
    ...(takesIdempotencyKey(endpoint) ? (['table:write'] as const) : []),
    'default-limits',
    'public-url',
    'cors',
  );
};
