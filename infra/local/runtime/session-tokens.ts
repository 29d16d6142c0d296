import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { UntrustedToken } from '../../../shared/platform/auth/issuer.ts';
import { isKnown } from '../../../shared/platform/identity/permissions.ts';
import { readStored, writePrivately } from './state-files.ts';

export const localAudience = 'local';
/** Not the audience of the API, which therefore refuses a refresh token. */
const refreshAudience = 'local-refresh';
export const algorithm = 'ES256';
const refreshLife = '30d';

export const SessionClaims = z.strictObject({
  userId: z.string().min(1).max(255),
  organizationId: z.string().min(1).max(255).nullish(),
  permissions: z.array(z.string().refine(isKnown, 'This permission covers nothing')).default(['*']),
});
export type SessionClaims = z.input<typeof SessionClaims>;
export type Claims = z.output<typeof SessionClaims>;

const SigningKey = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  kid: z.string(),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

export type SessionTokens = Awaited<ReturnType<typeof createSessionTokens>>;

/** Signs tokens of any user, with a key that is kept in the directory. */
export async function createSessionTokens(issuer: string, directory: string | undefined) {
  const privateJwk = await signingKey(directory);
  const { d: _private, ...publicJwk } = privateJwk;
  const key = await importJWK(privateJwk, algorithm);
  const publicKey = await importJWK(publicJwk, algorithm);

  const sign = ({ userId, organizationId, permissions }: Claims, to: string, life: string) =>
    new SignJWT({ permissions, ...(organizationId && { organizationId }) })
      .setProtectedHeader({ alg: algorithm, kid: String(privateJwk.kid) })
      .setIssuer(issuer)
      .setAudience(to)
      .setSubject(userId)
      .setIssuedAt()
      .setExpirationTime(life)
      .sign(key);

  return {
    publicJwk,
    accessToken: (session: Claims, seconds: number) => sign(session, localAudience, `${seconds}s`),
    refreshToken: (session: Claims) => sign(session, refreshAudience, refreshLife),
    /** @throws UntrustedToken */
    async sessionOfRefreshToken(token: string): Promise<Claims> {
      const options = { issuer, audience: refreshAudience, algorithms: [algorithm] };
      const { payload } = await jwtVerify(token, publicKey, options).catch((error) => {
        throw new UntrustedToken(String(error), true);
      });
      const { sub: userId, organizationId, permissions } = payload;
      return SessionClaims.parse({ userId, organizationId, permissions });
    },
  };
}

async function signingKey(directory: string | undefined) {
  const file = directory && join(directory, 'oidc-key.json');
  const stored = file ? readStored(file, SigningKey) : undefined;
  if (stored) return stored;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), use: 'sig', alg: algorithm };
  if (file) writePrivately(file, JSON.stringify(jwk));
  return jwk;
}
