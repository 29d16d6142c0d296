import * as oauth from 'oauth4webapi';
import type { OperationResponse } from '../api/api.ts';
import { consoleUrl } from '../session/base-url.ts';
import { signInTexts } from '../texts/sign-in.ts';

export type SignInSettings = OperationResponse<'public.sign-in'>;
export type OauthTokens = oauth.TokenEndpointResponse;

/** What one keeps from the way to the issuer until the way back. */
export interface SignInAttempt {
  verifier: string;
  state: string;
}

/** @param prefix Tells on the way back what the attempt was for. */
export const newAttempt = (prefix = ''): SignInAttempt => ({
  verifier: oauth.generateRandomCodeVerifier(),
  state: prefix + oauth.generateRandomState(),
});

/** The page of the issuer, for the authorization code flow with PKCE (RFC 7636). */
export async function authorizationUrl(
  settings: SignInSettings,
  { verifier, state }: SignInAttempt,
): Promise<URL> {
  const url = new URL(settings.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: consoleUrl,
    scope: settings.scopes.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(settings.audience && { audience: settings.audience }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/**
 * The tokens for what the issuer sent back.
 * @throws an error that says why the issuer refused.
 */
export async function redeem(
  settings: SignInSettings,
  sent: URLSearchParams,
  attempt: SignInAttempt,
): Promise<OauthTokens> {
  const [server, client] = partiesOf(settings);
  const parameters = oauth.validateAuthResponse(server, client, sent, attempt.state);
  const response = await oauth.authorizationCodeGrantRequest(
    ...[server, client, oauth.None(), parameters, consoleUrl, attempt.verifier],
    insecureOnlyHere(settings),
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

/** @returns undefined if the issuer says that the session has ended. */
export async function renewed(
  settings: SignInSettings,
  refreshToken: string,
): Promise<OauthTokens | undefined> {
  const [server, client] = partiesOf(settings);
  try {
    const response = await oauth.refreshTokenGrantRequest(
      ...[server, client, oauth.None(), refreshToken],
      insecureOnlyHere(settings),
    );
    return await oauth.processRefreshTokenResponse(server, client, response);
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined;
    throw new Error(signInTexts.sessionNotRenewed, { cause: error });
  }
}

function partiesOf(settings: SignInSettings): [oauth.AuthorizationServer, oauth.Client] {
  const server = {
    issuer: settings.issuer,
    authorization_endpoint: settings.authorizationEndpoint,
    token_endpoint: settings.tokenEndpoint,
  };
  return [server, { client_id: settings.clientId }];
}

/** The issuer of the embedded stack has no TLS. */
const insecureOnlyHere = ({ tokenEndpoint }: SignInSettings) => ({
  [oauth.allowInsecureRequests]: /^http:\/\/(localhost|127\.0\.0\.1|\[::1\]):/.test(tokenEndpoint),
});
