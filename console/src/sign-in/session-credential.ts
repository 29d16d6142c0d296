import { type Credential, SessionEnded } from '../session/credential.ts';
import { signInTexts } from '../texts/sign-in.ts';
import { type OauthTokens, renewed, type SignInSettings } from './oauth.ts';
import { signOut } from './sign-in.ts';
import { signInBeside } from './sign-in-window.ts';

/** Renews early, so that no request meets an expired token. */
const marginMs = 60_000;

/** The session of somebody who signed in, for as long as the issuer renews it. */
export function sessionCredential(settings: SignInSettings, first: OauthTokens): Credential {
  let tokens = first;
  let renewAt = renewalOf(first);
  let renewing: Promise<void> | undefined;
  let hasEnded = false;
  const listeners = new Set<() => void>();
  const person = signedInPerson(first);

  function put(next: OauthTokens | undefined): void {
    hasEnded = next === undefined;
    if (next) {
      // An issuer that does not rotate refresh tokens returns none.
      tokens = { ...(tokens.refresh_token && { refresh_token: tokens.refresh_token }), ...next };
      renewAt = renewalOf(next);
    }
    for (const listener of listeners) listener();
  }
  async function renew(): Promise<void> {
    const { refresh_token } = tokens;
    put(refresh_token ? await renewed(settings, refresh_token) : undefined);
  }

  return {
    kind: 'session',
    user: person.user,
    userId: person.id,
    organization: person.organization,
    permissions: person.permissions,
    async token() {
      if (!hasEnded && Date.now() > renewAt) {
        renewing ??= renew().finally(() => {
          renewing = undefined;
        });
        await renewing;
      }
      if (hasEnded) throw new SessionEnded();
      return tokens.access_token;
    },
    signOut: () => signOut(settings),
    end: {
      hasCome: () => hasEnded,
      refuse(token) {
        if (token === tokens.access_token) renewAt = 0;
      },
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      async signInAgain() {
        const next = await signInBeside(settings);
        const { id, user, organization } = signedInPerson(next);
        if (id !== person.id || organization !== person.organization)
          throw new Error(signInTexts.signedInAsAnother(user));
        put(next);
      },
    },
  };
}

const renewalOf = ({ expires_in = 3_600 }: OauthTokens) => Date.now() + expires_in * 1_000 - marginMs;

interface Person {
  id: string;
  /** Whom to show. */
  user: string;
  organization: string | null;
  permissions: readonly string[];
}

/** Who signed in. For display only: the API verifies the token. */
function signedInPerson(tokens: OauthTokens): Person {
  const { sub, name, email, username, organizationId, ...claims } = claimsOf(
    tokens.id_token ?? tokens.access_token,
  );
  const { permissions } = claimsOf(tokens.access_token);
  const organization = organizationId ?? claims['custom:organizationId'];
  return {
    id: String(sub),
    user: String(email ?? name ?? username ?? sub),
    organization: typeof organization === 'string' ? organization : null,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  };
}

function claimsOf(token: string): Record<string, unknown> {
  const [, payload = ''] = token.split('.');
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (each) =>
      each.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}
