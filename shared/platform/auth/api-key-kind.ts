import { missingPermission } from '../../core/errors/errors.ts';
import type { WriteCondition } from '../data/writes.ts';
import { toTenant } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { apiKeyEntity, credentialEntity } from './api-key.ts';
import {
  type Caller,
  type CountedCredential,
  type CredentialKind,
  consistentRead,
} from './credential-kind.ts';
import { hashKey, isApiKey, isWellFormedKey } from './key-format.ts';

/** The condition that a key still has the value that was sent, and can be used. */
export const toAliveCondition = (hash: string | null): WriteCondition => ({
  expression:
    '#hash = :hash AND #isActive = :true AND (attribute_type(#expiresAt, :null) OR #expiresAt > :now)',
  values: { hash, true: true, null: 'NULL' },
});

export const isAliveKey = (item: CountedCredential | undefined, hash: string | null, now: string): boolean =>
  item?.hash === hash && item.isActive === true && !(item.expiresAt && item.expiresAt <= now);

/** API keys: `tv_live_…` and `tv_test_…`. Each request reads the key's item for its validity and permissions. */
export const apiKeyKind: CredentialKind = {
  recognises: (token) => isWellFormedKey(token) && isApiKey(token),

  async findCaller(token): Promise<Caller | undefined> {
    const hash = hashKey(token);
    const { table } = productionRuntime().scopeOf('');
    const credential = await table.get(credentialEntity, { hash }, consistentRead);
    if (!credential) return undefined;
    const { keyId, userId, organizationId, environment, productId } = credential;
    const owner = { tenant: toTenant(userId, organizationId), userId, organizationId };
    const only = productId !== undefined && { productId };
    return { kind: 'key', ...owner, environment, keyId, hash, permissions: [], ...only };
  },

  getRateLimitCounter: ({ keyId, hash }, limits) => ({
    entity: apiKeyEntity,
    key: { id: keyId },
    alive: toAliveCondition(hash),
    isAlive: (item, now) => isAliveKey(item, hash, now),
    ...limits,
    countsUses: true,
  }),

  listPermissions: (_principal, { permissions = [] }) => permissions,

  findRefusal({ environment }, { sessionOnly, permission }) {
    if (!sessionOnly) return undefined;
    return missingPermission(permission, environment === 'test' ? 'TEST_KEY_PERMISSION_DENIED' : undefined);
  },
};
