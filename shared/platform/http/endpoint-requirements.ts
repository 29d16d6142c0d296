import { type Requirements, requirementsOf } from '../aws/uses.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { isStreamed } from './response.ts';

/** The AWS requirements of an endpoint's Lambda: those of its needs and of the request stack. */
export const endpointRequirements = ({ needs, scope, response }: AnyEndpoint): Requirements =>
  requirementsOf(
    ...Object.values(needs),
    ...(scope === 'none' ? [] : [scope ?? ('rate-limits' as const)]),
    ...(isStreamed({ response }) ? ['open-requests' as const] : []),
    'default-limits',
    'public-url',
    'cors',
  );
