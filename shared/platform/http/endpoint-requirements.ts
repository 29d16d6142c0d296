import { type Requirements, requirementsOf } from '../aws/uses.ts';
import type { AnyEndpoint } from './endpoint.ts';

/** What an endpoint's Lambda needs from AWS: what its needs carry, and what the request stack does for it. */
export const endpointRequirements = ({ needs, permission, optionalCredential }: AnyEndpoint): Requirements =>
  requirementsOf(
    ...Object.values(needs as Record<string, Requirements>),
    ...(optionalCredential ? [optionalCredential] : permission === 'public' ? [] : ['rate-limits' as const]),
    'default-limits',
    'public-url',
  );
