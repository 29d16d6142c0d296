import { type Requirements, requirementsOf } from '../aws/uses.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** The AWS requirements of an endpoint's Lambda: those of its needs and of the request stack. */
export const endpointRequirements = ({ needs, scope, open }: AnyEndpoint): Requirements =>
  requirementsOf(
    ...Object.values(needs),
    ...(scope === 'none' ? [] : [scope ?? ('rate-limits' as const)]),
    ...(open === undefined ? [] : ['open-requests' as const]),
    'default-limits',
    'public-url',
    'cors',
  );
