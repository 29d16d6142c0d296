import { ApiError } from '../../../packages/client/src/client.ts';
import type { Credential } from '../session/credential.ts';
import type { SignInSettings } from './oauth.ts';
import { sessionCredential } from './session-credential.ts';
import { completeSignIn, goToIssuer, signInSettings, wasSignedIn } from './sign-in.ts';
import { reportBack } from './sign-in-window.ts';

/** How the page begins. */
export type SignInStart =
  | { kind: 'signed-in'; credential: Credential }
  /** The person can sign in; with an error if that has just failed. */
  | { kind: 'sign-in'; settings: SignInSettings; error?: Error }
  /** The deployment has no sign-in for browsers. */
  | { kind: 'no-sign-in' }
  /** Nobody knows whether it has one. */
  | { kind: 'failed'; error: Error }
  /** On the way to the issuer. */
  | { kind: 'leaving' }
  /** A window that another page opened for a sign-in, which is done. */
  | { kind: 'done' };

export async function enter(): Promise<SignInStart> {
  if (reportBack()) return { kind: 'done' };
  let settings: SignInSettings;
  try {
    settings = await signInSettings();
  } catch (error) {
    const isAbsent = error instanceof ApiError && error.status === 404;
    return isAbsent ? { kind: 'no-sign-in' } : { kind: 'failed', error: error as Error };
  }
  try {
    const tokens = await completeSignIn(settings);
    if (tokens) return { kind: 'signed-in', credential: sessionCredential(settings, tokens) };
    if (!wasSignedIn()) return { kind: 'sign-in', settings };
    await goToIssuer(settings);
    return { kind: 'leaving' };
  } catch (error) {
    return { kind: 'sign-in', settings, error: error as Error };
  }
}
