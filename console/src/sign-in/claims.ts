import type { OauthTokens } from './oauth.ts';

interface Person {
  id: string;
  /** Whom to show. */
  user: string;
  organization: string | null;
  permissions: readonly string[];
}

/** Who signed in. For display only: the API verifies the token. */
export function signedInPerson(tokens: OauthTokens): Person {
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
