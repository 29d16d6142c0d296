import {
  exchangeAuthorization,
  type OAuthTokens,
  refreshAuthorization,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import { oauthFailure, oauthFetch } from './oauth-fetch.ts';
import type { OAuthServer } from './oauth-server.ts';
import { type OAuthClient, toSdkClient } from './oauth-server.ts';

export interface TokenSet {
  accessToken: string;
  refreshToken: string | undefined;
  /** Unknown if undefined. */
  expiresInSeconds: number | undefined;
  scope: string | undefined;
}

interface Known {
  server: OAuthServer;
  client: OAuthClient;
}

type SdkMetadata = NonNullable<Parameters<typeof startAuthorization>[1]['metadata']>;
const toSdkMetadata = ({ metadata }: OAuthServer) => metadata as SdkMetadata;

/** Where a person authorizes, and the verifier that the code will need. */
export async function beginOAuth(
  { server, client }: Known,
  { redirectUrl, state }: { redirectUrl: string; state: string },
): Promise<{ url: string; codeVerifier: string }> {
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.authorizationServerUrl, {
    metadata: toSdkMetadata(server),
    clientInformation: toSdkClient(client),
    redirectUrl,
    state,
    ...(server.scope && { scope: server.scope }),
    ...(server.resource && { resource: server.resource }),
  });
  return { url: authorizationUrl.href, codeVerifier };
}

interface Callback {
  code: string;
  iss: string | undefined;
  codeVerifier: string;
  redirectUrl: string;
  signal: AbortSignal;
}

/** Whether the authorization server itself answered (RFC 9207), also with an error. @throws StepError */
export function assertIssuer({ metadata }: OAuthServer, iss: string | undefined): void {
  try {
    const issParameterSupported = metadata.authorization_response_iss_parameter_supported === true;
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata.issuer, issParameterSupported });
  } catch (error) {
    throw oauthFailure(error);
  }
}

/** Exchanges a code for tokens. @throws StepError */
export const finishOAuth = ({ server, client }: Known, callback: Callback): Promise<TokenSet> =>
  requestTokens(() =>
    exchangeAuthorization(server.authorizationServerUrl, {
      metadata: toSdkMetadata(server),
      clientInformation: toSdkClient(client),
      authorizationCode: callback.code,
      ...(callback.iss !== undefined && { iss: callback.iss }),
      codeVerifier: callback.codeVerifier,
      redirectUri: callback.redirectUrl,
      ...(server.resource && { resource: server.resource }),
      fetchFn: oauthFetch(callback.signal),
    }),
  );

/** Exchanges a refresh token for new tokens. @throws StepError */
export const refreshOAuth = (
  { server, client }: Known,
  refreshToken: string,
  signal: AbortSignal,
): Promise<TokenSet> =>
  requestTokens(() =>
    refreshAuthorization(server.authorizationServerUrl, {
      metadata: toSdkMetadata(server),
      clientInformation: toSdkClient(client),
      refreshToken,
      ...(server.resource && { resource: server.resource }),
      fetchFn: oauthFetch(signal),
    }),
  );

async function requestTokens(request: () => Promise<OAuthTokens>): Promise<TokenSet> {
  try {
    return toTokenSet(await request());
  } catch (error) {
    throw oauthFailure(error);
  }
}

/** Printable ASCII, so that a header can contain it; not so short that ordinary text contains it. */
const usable = /^[!-~]{8,20000}$/;

const expiresMax = 10 * 365 * 86_400;

function toTokenSet({ access_token, refresh_token, token_type, expires_in, scope }: OAuthTokens): TokenSet {
  if (token_type.toLowerCase() !== 'bearer')
    throw new StepError('The authorization server issues tokens of a type other than Bearer');
  if (!usable.test(access_token) || (refresh_token !== undefined && !usable.test(refresh_token))) {
    throw new StepError(
      'The authorization server issued a token that cannot be used: expected 8 to 20,000 printable ASCII characters without blanks',
    );
  }
  const isKnown = expires_in !== undefined && Number.isFinite(expires_in);
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresInSeconds: isKnown ? Math.min(Math.max(expires_in, 0), expiresMax) : undefined,
    scope: scope?.slice(0, 4_000),
  };
}
