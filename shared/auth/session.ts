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

/** The token is not one of ours. What else is thrown says that the issuer could not be asked. */
export class InvalidSession extends Error {}

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
    const { payload } = await jwtVerify(token, keys, { issuer }).catch((error) => {
      throw isIssuersFault(error) ? error : new InvalidSession(String(error));
    });
    // Cognito's access tokens name the client in `client_id`, everyone else's in `aud`.
    if (![payload.aud, payload.client_id].flat().includes(audience))
      throw new InvalidSession('Another audience');
    return payload;
  };
}

/** The keys could not be fetched: the network's own error, or jose's for a bad answer or none in time. */
const isIssuersFault = (error: { code?: string }) =>
  error instanceof TypeError || error.code === 'ERR_JWKS_TIMEOUT' || error.code === 'ERR_JOSE_GENERIC';

/** Who a session token of the configured OIDC issuer speaks for. @throws InvalidSession */
export async function principalOfSession(token: string): Promise<Omit<Principal, 'sourceIp'>> {
  verifier ??= makeVerifier().catch((error) => {
    verifier = undefined;
    throw error;
  });
  const { data: claims, error } = Claims.safeParse(await (await verifier)(token));
  if (error) throw new InvalidSession(z.prettifyError(error));
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
