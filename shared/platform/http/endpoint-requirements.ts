import { type Requirements, requirementsOf } from '../aws/uses.ts';
import type { AnyEndpoint } from './endpoint.ts';

export const endpointRequirements = ({ needs, scope, open }: AnyEndpoint): Requirements =>
  requirementsOf(
    ...Object.values(needs),
    ...(scope === 'none' ? [] : [scope ?? ('rate-limits' as const)]),
    ...(open === undefined ? [] : ['open-requests' as const]),
    'default-limits',
    'public-url',
    'cors',
  );
