import { missingPermission } from '../../core/errors.ts';
import { tenantOf } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { asLastWritten, type CredentialKind } from './credential-kind.ts';
import { hashKey, isIntakeToken, isWellFormedKey } from './key-format.ts';
import { intakeEntity } from './setup-link.ts';

/** `tv_setup_…`, the token of a setup link: speaks for the one who made it, to the endpoints that take it alone. */
export const setupLinkKind: CredentialKind = {
  recognises: (token) => isWellFormedKey(token) && isIntakeToken(token),

  async callerOf(token) {
    const hash = hashKey(token);
    const { table } = productionRuntime().scopeOf('');
    const intake = await table.get(intakeEntity, { hash }, asLastWritten);
    if (!intake) return undefined;
    const { id: keyId, userId, organizationId } = intake;
    const owner = { tenant: tenantOf(userId, organizationId), userId, organizationId };
    return { kind: 'intake', ...owner, environment: 'production', keyId, hash, permissions: [] };
  },

  meterOf: ({ hash }, limits) => ({
    entity: intakeEntity,
    key: { hash },
    alive: { expression: '#expiresAt > :now' },
    isAlive: (item, now) => Boolean(item?.expiresAt && item.expiresAt > now),
    ...limits,
  }),

  heldBy: () => [],

  refusalOf(_principal, { permission, acceptsIntakeToken }) {
    if (acceptsIntakeToken) return 'accepted';
    // A setup link is no credential of a user, so where any of these is enough it is not.
    const isAny = permission === 'authenticated' || permission === 'public';
    return missingPermission(isAny ? '*' : permission);
  },
};
