import type { APIGatewayProxyResult } from 'aws-lambda';
import { invalidAt, ServiceError } from '../../shared/core/errors/errors.ts';
import { toHttpError } from '../../shared/platform/http/responses/http-errors.ts';
import { parseOrReject } from '../../shared/platform/http/validation.ts';
import type { LocalRoute } from './gateway/gateway.ts';
import { algorithm, type Claims, createSessionTokens, SessionClaims } from './runtime/session-tokens.ts';
import { signInRoutes } from './sign-in/routes.ts';

export const issuerPath = '/local/oidc';
const tokenSeconds = 12 * 3_600;

/**
 * An OIDC issuer that issues any requested claims, for this machine only.
 * @param userId The user that its sign-in page proposes.
 */
export async function createIssuer(issuer: string, directory: string | undefined, userId: string) {
  const tokens = await createSessionTokens(issuer, directory);
  const discovery = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/sign-out`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  };
  const sessionToken = (session: Claims) => tokens.accessToken(session, tokenSeconds);
  const routes: Record<string, LocalRoute> = {
    [`GET ${issuerPath}/.well-known/openid-configuration`]: () => json(200, discovery),
    [`GET ${issuerPath}/jwks`]: () => json(200, { keys: [tokens.publicJwk] }),
    ...signInRoutes(issuerPath, tokens, userId),
    'POST /local/sessions': (body) => answering(async () => ({ token: await sessionToken(sessionOf(body)) })),
  };
  return { routes, tokenOf: (session: SessionClaims) => sessionToken(SessionClaims.parse(session)) };
}

function sessionOf(body: string): Claims {
  let sent: unknown;
  try {
    sent = JSON.parse(body);
  } catch {
    throw invalidAt('', 'MALFORMED_JSON', 'Expected {userId, organizationId?, permissions?} as JSON');
  }
  return parseOrReject(SessionClaims, sent);
}

async function answering(answer: () => Promise<object>): Promise<APIGatewayProxyResult> {
  try {
    return json(200, await answer());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { statusCode, body } = toHttpError(error);
    return json(statusCode, body);
  }
}

const json = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
