import { missingPermission } from '../../core/errors.ts';
import { tenantOf } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { apiKeyEntity, credentialEntity } from './api-key.ts';
import { type Caller, type CredentialKind, consistentRead } from './credential-kind.ts';
import { hashKey, isSetupLinkToken, isWellFormedKey } from './key-format.ts';

/** API keys: `tv_live_…` and `tv_test_…`. Each request reads the key's item for its validity and permissions. */
export const apiKeyKind: CredentialKind = {
  recognises: (token) => isWellFormedKey(token) && !isSetupLinkToken(token),

  async callerOf(token): Promise<Caller | undefined> {
    const hash = hashKey(token);
    const { table } = productionRuntime().scopeOf('');
    const credential = await table.get(credentialEntity, { hash }, consistentRead);
    if (!credential) return undefined;
    const { keyId, userId, organizationId, environment } = credential;
    const tenant = tenantOf(userId, organizationId);
    return { kind: 'key', tenant, userId, organizationId, environment, keyId, hash, permissions: [] };
  },

  rateLimitCounterOf: ({ keyId, hash }, limits) => ({
    entity: apiKeyEntity,
    key: { id: keyId },
    alive: {
      expression:
        '#hash = :hash AND #isActive = :true AND (attribute_type(#expiresAt, :null) OR #expiresAt > :now)',
      values: { hash, true: true, null: 'NULL' },
    },
    isAlive: (item, now) =>
      item?.hash === hash && item.isActive === true && !(item.expiresAt && item.expiresAt <= now),
    ...limits,
    countsUses: true,
  }),

  permissionsOf: (_principal, { permissions = [] }) => permissions,

  refusalOf({ environment }, { sessionOnly, permission }) {
    if (!sessionOnly) return undefined;
    return missingPermission(permission, environment === 'test' ? 'TEST_KEY_PERMISSION_DENIED' : undefined);
  },
};
