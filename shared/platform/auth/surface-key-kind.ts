import { toTenant } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { isAliveKey, toAliveCondition } from './api-key-kind.ts';
import { type CredentialKind, consistentRead, onlyWhereAccepted } from './credential-kind.ts';
import { hashKey, isSurfaceKey, isWellFormedKey } from './key-format.ts';
import { surfaceCredentialEntity, surfaceKeyEntity } from './surface-key.ts';

const perMinuteDefault = 600;

/** Keys of surfaces: `tv_surface_live_…` and `tv_surface_test_…`, for the endpoints that accept them. */
export const surfaceKeyKind: CredentialKind = {
  recognises: (token) => isWellFormedKey(token) && isSurfaceKey(token),

  async findCaller(token) {
    const hash = hashKey(token);
    const { table } = productionRuntime().scopeOf('');
    const credential = await table.get(surfaceCredentialEntity, { hash }, consistentRead);
    if (!credential) return undefined;
    const { keyId, surfaceId, userId, organizationId, environment } = credential;
    const owner = { tenant: toTenant(userId, organizationId), userId, organizationId };
    return { kind: 'surface', ...owner, environment, keyId, hash, surfaceId, permissions: [] };
  },

  getRateLimitCounter: ({ keyId, hash, surfaceId }, { perDay }) => ({
    entity: surfaceKeyEntity,
    key: { surfaceId, id: keyId },
    alive: toAliveCondition(hash),
    isAlive: (item, now) => isAliveKey(item, hash, now),
    perMinute: perMinuteDefault,
    perDay,
    countsUses: true,
  }),

  // The slugs that the key can call; empty for all. No permission has the form of a slug.
  // `assertMayRun` in domain/surfaces/item-permissions.ts checks them.
  listPermissions: (_principal, { scopes = [] }) => scopes,

  findRefusal: onlyWhereAccepted('surface-key'),
};
