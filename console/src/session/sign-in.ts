import * as oauth from 'oauth4webapi';
import { createClient } from '../../../functions/client.ts';
import { baseUrl, consoleUrl } from './base-url.ts';
import type { Credential } from './credential.ts';

const { call } = createClient({ baseUrl });

/** How people sign in here. @throws ResponseError with 404 if there is no sign-in for browsers. */
export const signInSettings = () => call('GET /v1/public/sign-in');
type Settings = Awaited<ReturnType<typeof signInSettings>>;

/** What has to survive the way to the issuer and back: used once, then removed. */
interface Attempt {
  verifier: string;
  state: string;
  /** Where in the console the person was. */
  fragment: string;
}
const attemptKey = 'sign-in attempt';
/** Whether this browser was signed in: then a reload goes to the issuer at once, which still knows the person. */
const signedInKey = 'signed in';

export const wasSignedIn = () => sessionStorage.getItem(signedInKey) !== null;

/** Goes to the issuer, with the authorization code flow and PKCE (RFC 7636). */
export async function goToIssuer(settings: Settings): Promise<void> {
  const attempt: Attempt = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    fragment: location.hash,
  };
  sessionStorage.setItem(attemptKey, JSON.stringify(attempt));
  const url = new URL(settings.authorizationEndpoint);
  const parameters = {
    ...{ response_type: 'code', client_id: settings.clientId, redirect_uri: consoleUrl },
    ...{ scope: settings.scopes.join(' '), state: attempt.state },
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    ...(settings.audience && { audience: settings.audience }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/**
 * Completes a sign-in if the issuer sent the person back here. @returns undefined if it did not.
 * @throws an error that says why the issuer refused.
 */
export async function completeSignIn(settings: Settings): Promise<Credential | undefined> {
  const address = new URL(location.href);
  const stored = sessionStorage.getItem(attemptKey);
  sessionStorage.removeItem(attemptKey);
  if (!address.searchParams.has('state')) return undefined;
  const attempt: Attempt | undefined = stored ? JSON.parse(stored) : undefined;
  history.replaceState(null, '', consoleUrl + (attempt?.fragment ?? ''));
  // Somebody reloaded an old address: it means nothing any more.
  if (!attempt) return undefined;
  const [server, client] = partiesOf(settings);
  const parameters = oauth.validateAuthResponse(server, client, address, attempt.state);
  const response = await oauth.authorizationCodeGrantRequest(
    ...[server, client, oauth.None(), parameters, consoleUrl, attempt.verifier],
    insecureOnlyHere(settings),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
  sessionStorage.setItem(signedInKey, '1');
  return sessionCredential(settings, tokens);
}

function partiesOf(settings: Settings): [oauth.AuthorizationServer, oauth.Client] {
  const server = {
    issuer: settings.issuer,
    authorization_endpoint: settings.authorizationEndpoint,
    token_endpoint: settings.tokenEndpoint,
  };
  return [server, { client_id: settings.clientId }];
}

/** The issuer of the embedded stack has no TLS. */
const insecureOnlyHere = ({ tokenEndpoint }: Settings) => ({
  [oauth.allowInsecureRequests]: /^http:\/\/(localhost|127\.0\.0\.1|\[::1\]):/.test(tokenEndpoint),
});

/** Renews early, so that no request meets an expired token. */
const marginMs = 60_000;

function sessionCredential(settings: Settings, first: oauth.TokenEndpointResponse): Credential {
  const [server, client] = partiesOf(settings);
  let tokens = first;
  let renewAt = renewalOf(first);
  let renewing: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const { refresh_token } = tokens;
    if (!refresh_token) throw new Error('Your session has ended. Sign in again.');
    const response = await oauth.refreshTokenGrantRequest(
      ...[server, client, oauth.None(), refresh_token],
      insecureOnlyHere(settings),
    );
    // An issuer that does not rotate refresh tokens returns none.
    tokens = { refresh_token, ...(await oauth.processRefreshTokenResponse(server, client, response)) };
    renewAt = renewalOf(tokens);
  }

  const { sub, name, email, username, organizationId, ...claims } = claimsOf(first);
  return {
    kind: 'session',
    user: String(email ?? name ?? username ?? sub),
    organization: stringOf(organizationId ?? claims['custom:organizationId']),
    async token() {
      if (Date.now() > renewAt) {
        renewing ??= renew().finally(() => {
          renewing = undefined;
        });
        await renewing;
      }
      return tokens.access_token;
    },
    signOut: () => signOut(settings),
  };
}

const renewalOf = ({ expires_in = 3_600 }: oauth.TokenEndpointResponse) =>
  Date.now() + expires_in * 1_000 - marginMs;

const stringOf = (value: unknown) => (typeof value === 'string' ? value : null);

/** For display only: the API verifies the token. */
function claimsOf({ access_token, id_token }: oauth.TokenEndpointResponse): Record<string, unknown> {
  const [, payload = ''] = (id_token ?? access_token).split('.');
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (each) =>
      each.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}

function signOut({ endSessionEndpoint, clientId }: Settings): void {
  sessionStorage.removeItem(signedInKey);
  if (!endSessionEndpoint) {
    location.assign(consoleUrl);
    return;
  }
  const url = new URL(endSessionEndpoint);
  const parameters = {
    ...{ client_id: clientId, post_logout_redirect_uri: consoleUrl },
    // Cognito's name for it.
    logout_uri: consoleUrl,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}
