import type { Principal } from '../identity/principal.ts';
import { apiKeyKind } from './api-key-kind.ts';
import type { CredentialKind } from './credential-kind.ts';
import { sessionKind } from './session-kind.ts';
import { setupLinkKind } from './setup-link-kind.ts';
import { surfaceKeyKind } from './surface-key-kind.ts';

/** Every kind of credential. To add one, add a file to this folder and an entry here. */
export const credentialKinds: Record<Principal['kind'], CredentialKind> = {
  key: apiKeyKind,
  session: sessionKind,
  intake: setupLinkKind,
  surface: surfaceKeyKind,
};

export const credentialKind = (token: string): CredentialKind | undefined =>
  Object.values(credentialKinds).find(({ recognises }) => recognises(token));
