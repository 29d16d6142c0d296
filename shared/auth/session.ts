import type { JWTPayload } from 'jose';
import * as z from 'zod';
import { requireEnv } from '../runtime.ts';
import { type Principal, tenantOf } from './principal.ts';

const Claims = z.object({
  sub: z.string().min(1).max(255),
  organizationId: z.string().min(1).max(255).optional(),
  'custom:organizationId': z.string().min(1).max(255).optional(),
  /** A list, or one text with blanks between, as scopes are written. Without it a session may do everything. */
  permissions: z.union([z.array(z.string()), z.string().transform((text) => text.split(' '))]).default(['*']),
});

type Verify = (token: string) => Promise<JWTPayload>;
let verifier: Promise<Verify> | undefined;

/** Verifies against the issuer's published keys, which are fetched once and again when an unknown key signs. */
async function makeVerifier(): Promise<Verify> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose');
  const issuer = requireEnv('OIDC_ISSUER');
  const audience = requireEnv('OIDC_AUDIENCE');
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri } = z.object({ jwks_uri: z.url() }).parse(await discovery.json());
  const keys = createRemoteJWKSet(new URL(jwks_uri));
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer });
    // Cognito's access tokens name the client in `client_id`, everyone else's in `aud`.
    if (![payload.aud, payload.client_id].flat().includes(audience)) throw new Error('Another audience');
    return payload;
  };
}

/** Who a session token of the configured OIDC issuer speaks for. @throws when it is not a valid one. */
export async function principalOfSession(token: string): Promise<Omit<Principal, 'sourceIp'>> {
  verifier ??= makeVerifier().catch((error) => {
    verifier = undefined;
    throw error;
  });
  const claims = Claims.parse(await (await verifier)(token));
  const organizationId = claims.organizationId ?? claims['custom:organizationId'] ?? null;
  return {
    kind: 'session',
    tenant: tenantOf(claims.sub, organizationId),
    userId: claims.sub,
    organizationId,
    environment: 'production',
    keyId: null,
    hash: null,
    permissions: claims.permissions,
  };
}
