import type { Tokens } from './oauth.ts';

interface Person {
  id: string;
  /** Whom to show. */
  user: string;
  organization: string | null;
}

/** Who signed in. For display only: the API verifies the token. */
export function personOf(tokens: Tokens): Person {
  const { sub, name, email, username, organizationId, ...claims } = claimsOf(tokens);
  const organization = organizationId ?? claims['custom:organizationId'];
  return {
    id: String(sub),
    user: String(email ?? name ?? username ?? sub),
    organization: typeof organization === 'string' ? organization : null,
  };
}

function claimsOf({ access_token, id_token }: Tokens): Record<string, unknown> {
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
