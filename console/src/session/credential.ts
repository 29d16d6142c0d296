import { signInTexts } from '../texts/sign-in.ts';

/** Who uses the console. Lives in memory only: a reload signs in again. */
export interface Credential {
  kind: 'session' | 'api-key';
  /** Whom to show: a name, an email address, or the end of a key. */
  user: string;
  /** As whom the API knows the person; null for a key. */
  userId: string | null;
  /** The organization whose data this is; null for the user's own. */
  organization: string | null;
  /** What the session may do; null for a key, which does not say. */
  permissions: readonly string[] | null;
  /** The token of a request, renewed before it expires. @throws SessionEnded */
  token: () => Promise<string>;
  /** Ends the session at the issuer too. */
  signOut: () => void;
  /** The end of the session. Absent for a key. */
  end?: {
    hasCome: () => boolean;
    /** The API refused this token before its time, as after a sign-out elsewhere: the next one is a new one. */
    refuse: (token: string) => void;
    /** @returns what ends the listening. */
    onChange: (listener: () => void) => () => void;
    /** In a window of its own, so that this page keeps what is not saved. */
    signInAgain: () => Promise<void>;
  };
}

/** The issuer does not renew the session: no request succeeds until the person signs in again. */
export class SessionEnded extends Error {
  constructor() {
    super(signInTexts.sessionEndedSignInAgain);
  }
}

/** A key that somebody pastes. It is forgotten when the page is left. */
export const keyCredential = (key: string): Credential => ({
  kind: 'api-key',
  user: signInTexts.apiKeyEndingWith(key.slice(-4)),
  userId: null,
  organization: null,
  permissions: null,
  token: async () => key,
  signOut: () => location.reload(),
});
