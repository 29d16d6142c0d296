import * as z from 'zod';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { isKnown } from '../identity/permissions.ts';
import { type Principal, toTenant } from '../identity/principal.ts';
import { createIssuerVerifier, UntrustedToken } from './issuer.ts';

/** Longer names, once encoded, do not fit into a table key. */
const encodedMax = 600;
const Name = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text.isWellFormed() && encodeURIComponent(text).length <= encodedMax, 'Expected a name');

const Claims = z.object({
  sub: Name,
  organizationId: Name.nullish(),
  'custom:organizationId': Name.nullish(),
  /** A list, or one space-separated text, as OAuth scopes. A session without it has every permission. */
  permissions: z.union([z.array(z.string()), z.string().transform((text) => text.split(' '))]).default(['*']),
});

const verifier = loadOnce(() => createIssuerVerifier(requireEnv('OIDC_ISSUER'), requireEnv('OIDC_AUDIENCE')));

/** The principal of a session token of the configured OIDC issuer. @throws UntrustedToken */
export async function verifySessionToken(token: string): Promise<Omit<Principal, 'sourceIp'>> {
  const payload = await verifier()(token);
  const { data: claims, error } = Claims.safeParse(payload);
  if (error) throw new UntrustedToken(z.prettifyError(error), true);
  const organizationId = claims.organizationId ?? claims['custom:organizationId'] ?? null;
  return {
    kind: 'session',
    tenant: toTenant(claims.sub, organizationId),
    userId: claims.sub,
    organizationId,
    environment: 'production',
    keyId: null,
    hash: null,
    permissions: filterPermissions(claims.permissions),
    expiresAt: Math.floor(payload.exp),
  };
}

/** Ignores unknown permissions: an issuer may serve other applications too. */
const filterPermissions = (names: readonly string[]) => [...new Set(names.filter(isKnown))];
