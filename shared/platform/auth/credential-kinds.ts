import type { Principal } from '../identity/principal.ts';
import { apiKeyKind } from './api-key-kind.ts';
import type { CredentialKind } from './credential-kind.ts';
import { sessionKind } from './session-kind.ts';
import { setupLinkKind } from './setup-link-kind.ts';

/** Every kind of credential. A new one is a file beside this one and a line below. */
export const credentialKinds: Record<Principal['kind'], CredentialKind> = {
  key: apiKeyKind,
  session: sessionKind,
  intake: setupLinkKind,
};

export const kindOf = (token: string): CredentialKind | undefined =>
  Object.values(credentialKinds).find(({ recognises }) => recognises(token));
