import { type Requirements, requirementsOf } from '../aws/uses.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** What an endpoint's Lambda needs from AWS: what its needs carry, and what the request stack does for it. */
export const endpointRequirements = ({ needs, scope }: AnyEndpoint): Requirements =>
  requirementsOf(
    ...Object.values(needs),
    ...(scope === 'none' ? [] : [scope ?? ('rate-limits' as const)]),
    'default-limits',
    'public-url',
  );
