import { toTenant } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { type CredentialKind, consistentRead, onlyWhereAccepted } from './credential-kind.ts';
import { hashKey, isSetupLinkToken, isWellFormedKey } from './key-format.ts';
import { setupLinkEntity } from './setup-link.ts';

/** Acts for the user who created the link, only on the endpoints that accept it. */
export const setupLinkKind: CredentialKind = {
  recognises: (token) => isWellFormedKey(token) && isSetupLinkToken(token),

  async findCaller(token) {
    const hash = hashKey(token);
    const { table } = productionRuntime().scopeOf('');
    const setupLink = await table.get(setupLinkEntity, { hash }, consistentRead);
    if (!setupLink) return undefined;
    const { id: keyId, userId, organizationId } = setupLink;
    const owner = { tenant: toTenant(userId, organizationId), userId, organizationId };
    return { kind: 'intake', ...owner, environment: 'production', keyId, hash, permissions: [] };
  },

  getRateLimitCounter: ({ hash }, limits) => ({
    entity: setupLinkEntity,
    key: { hash },
    alive: { expression: '#expiresAt > :now' },
    isAlive: (item, now) => Boolean(item?.expiresAt && item.expiresAt > now),
    ...limits,
  }),

  listPermissions: () => [],

  findRefusal: onlyWhereAccepted('setup-link'),
};
