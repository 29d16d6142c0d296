import { join } from 'node:path';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import * as z from 'zod';
import { invalidAt, ServiceError } from '../../shared/core/errors.ts';
import { httpErrorOf } from '../../shared/platform/http/http-errors.ts';
import { parseOrReject } from '../../shared/platform/http/validation.ts';
import { isKnown } from '../../shared/platform/identity/permissions.ts';
import type { LocalRoute } from './gateway/gateway.ts';
import { readStored, writePrivately } from './state-files.ts';

export const audience = 'local';
export const issuerPath = '/local/oidc';
const algorithm = 'ES256';
const tokenLife = '12h';

const Session = z.strictObject({
  userId: z.string().min(1).max(255),
  organizationId: z.string().min(1).max(255).nullish(),
  permissions: z.array(z.string().refine(isKnown, 'This permission covers nothing')).default(['*']),
});
export type Session = z.input<typeof Session>;

const SigningKey = z.looseObject({
  ...{ kty: z.literal('EC'), crv: z.literal('P-256'), kid: z.string() },
  ...{ x: z.string(), y: z.string(), d: z.string() },
});

/** An OIDC issuer that issues any requested claims, for this machine only. */
export async function createIssuer(issuer: string, directory: string | undefined) {
  const privateJwk = await signingKey(directory);
  const { d: _private, ...publicJwk } = privateJwk;
  const key = await importJWK(privateJwk, algorithm);

  const sign = ({ userId, organizationId, permissions }: z.output<typeof Session>) =>
    new SignJWT({ permissions, ...(organizationId && { organizationId }) })
      .setProtectedHeader({ alg: algorithm, kid: String(privateJwk.kid) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setIssuedAt()
      .setExpirationTime(tokenLife)
      .sign(key);

  const discovery = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  };
  const routes: Record<string, LocalRoute> = {
    [`GET ${issuerPath}/.well-known/openid-configuration`]: () => json(200, discovery),
    [`GET ${issuerPath}/jwks`]: () => json(200, { keys: [publicJwk] }),
    'POST /local/sessions': (body) => answering(async () => ({ token: await sign(sessionOf(body)) })),
  };
  return { routes, tokenOf: (session: Session) => sign(Session.parse(session)) };
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

function sessionOf(body: string): z.output<typeof Session> {
  let sent: unknown;
  try {
    sent = JSON.parse(body);
  } catch {
    throw invalidAt('', 'MALFORMED_JSON', 'Expected {userId, organizationId?, permissions?} as JSON');
  }
  return parseOrReject(Session, sent);
}

async function answering(answer: () => Promise<object>): Promise<APIGatewayProxyResult> {
  try {
    return json(200, await answer());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { statusCode, body } = httpErrorOf(error);
    return json(statusCode, body);
  }
}

const json = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
