import { createClient } from '../../../packages/client/src/client.ts';
import { baseUrl, consoleUrl } from '../session/base-url.ts';
import { signInTexts } from '../texts/sign-in.ts';
import {
  authorizationUrl,
  newAttempt,
  type OauthTokens,
  redeem,
  type SignInAttempt,
  type SignInSettings,
} from './oauth.ts';

const api = createClient({ baseUrl });

/** How people sign in here. @throws ApiError with 404 if there is no sign-in for browsers. */
export const signInSettings = (): Promise<SignInSettings> => api.public.signIn();

/** What has to survive the way to the issuer and back: used once, then removed. */
interface StoredAttempt extends SignInAttempt {
  /** Where in the console the person was. */
  fragment: string;
}
const attemptKey = 'sign-in attempt';
/** Whether this browser was signed in: then a reload goes to the issuer at once, which still knows the person. */
const signedInKey = 'signed in';

export const wasSignedIn = () => sessionStorage.getItem(signedInKey) !== null;

/** Goes to the issuer. @throws an error that says why the browser cannot. */
export async function goToIssuer(settings: SignInSettings): Promise<void> {
  if (!isSecureContext) throw new Error(signInTexts.httpsOrLocalhostOnly);
  const attempt: StoredAttempt = { ...newAttempt(), fragment: location.hash };
  sessionStorage.setItem(attemptKey, JSON.stringify(attempt));
  location.assign(await authorizationUrl(settings, attempt));
}

/**
 * Completes a sign-in if the issuer sent the person back here. @returns undefined if it did not.
 * @throws an error that says why the issuer refused.
 */
export async function completeSignIn(settings: SignInSettings): Promise<OauthTokens | undefined> {
  const { searchParams } = new URL(location.href);
  const stored = sessionStorage.getItem(attemptKey);
  sessionStorage.removeItem(attemptKey);
  if (!searchParams.has('state')) return undefined;
  const attempt: StoredAttempt | undefined = stored ? JSON.parse(stored) : undefined;
  history.replaceState(null, '', consoleUrl + (attempt?.fragment ?? ''));
  // Somebody reloaded an old address: it means nothing any more.
  if (!attempt) return undefined;
  const tokens = await redeem(settings, searchParams, attempt);
  sessionStorage.setItem(signedInKey, '1');
  return tokens;
}

export function signOut({ endSessionEndpoint, clientId }: SignInSettings): void {
  sessionStorage.removeItem(signedInKey);
  if (!endSessionEndpoint) {
    location.assign(consoleUrl);
    return;
  }
  const url = new URL(endSessionEndpoint);
  const parameters = {
    client_id: clientId,
    post_logout_redirect_uri: consoleUrl,
    // Cognito's name for it.
    logout_uri: consoleUrl,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}
