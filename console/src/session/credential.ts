/** Who uses the console. Lives in memory only: a reload signs in again. */
export interface Credential {
  kind: 'session' | 'api-key';
  /** Whom to show: a name, an email address, or the end of a key. */
  user: string;
  /** The organization whose data this is; null for the user's own. */
  organization: string | null;
  /** The token of a request, renewed before it expires. */
  token: () => Promise<string>;
  /** Ends the session at the issuer too. */
  signOut: () => void;
}

/** A key that somebody pastes. It is forgotten when the page is left. */
export const keyCredential = (key: string): Credential => ({
  kind: 'api-key',
  user: `API key …${key.slice(-4)}`,
  organization: null,
  token: async () => key,
  signOut: () => location.reload(),
});
