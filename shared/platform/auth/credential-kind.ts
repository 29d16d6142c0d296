/**
 * The kinds of credentials: API keys, sessions of the OIDC issuer, setup links and keys of surfaces.
 * Each kind says how it recognises a token, finds its caller, which item counts its requests, what it permits, and
 * where it is refused. A token is found by its hash with a consistent read, because API Gateway caches a refusal and
 * clients use a key right after they created it.
 * `findCaller` returns undefined only for a permanently invalid credential; one that cannot be verified now throws
 * `TemporaryRefusal`, which is not cached. Whether a key is still alive is a condition of the write that counts the
 * request, in `request-limiter.ts`; sessions are trusted until they expire.
 * Callers: `optional-credential.ts` (caller), `request-limiter.ts` (counter, permissions).
 */
import { missingPermission, type ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import type { AnyEntity } from '../data/entity.ts';
import type { WriteCondition } from '../data/writes.ts';
import type { Access } from '../identity/permissions.ts';
import { type Principal, toTenant } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { type ApiKey, apiKeyEntity, credentialEntity, sessionRateLimitEntity } from './api-key.ts';
import { hashKey, isApiKey, isSetupLinkToken, isSurfaceKey, isWellFormedKey } from './key-format.ts';
import type { Counters, RequestLimits } from './rate-limit-windows.ts';
import { setupLinkEntity } from './setup-link.ts';
import { type SurfaceKey, surfaceCredentialEntity, surfaceKeyEntity } from './surface-key.ts';

export type Caller = Omit<Principal, 'sourceIp'>;

/** A credential that is refused wherever an endpoint does not name it. */
export type SpecialCredential = 'setup-link' | 'surface-key';

export interface AccessRules {
  permission: Access;
  sessionOnly?: boolean;
  accepts?: readonly SpecialCredential[];
}

export type CountedCredential = Counters &
  Partial<Pick<ApiKey, 'hash' | 'isActive' | 'expiresAt' | 'permissions' | 'allowedIps'>> &
  Partial<Pick<SurfaceKey, 'scopes'>>;

export interface RateLimitCounter extends RequestLimits {
  entity: AnyEntity;
  key: object;
  /** Checked with each update. Absent if the credential proves its own validity. */
  alive: WriteCondition | undefined;
  isAlive: (item: CountedCredential | undefined, now: string) => boolean;
  /** Whether all requests are counted too, which `lifetimeMax` limits. */
  countsUses?: true;
}

interface CredentialKind {
  recognises: (token: string) => boolean;
  /** The caller that a token identifies, or `undefined` if it is permanently invalid. @throws TemporaryRefusal */
  findCaller: (token: string) => Promise<Caller | undefined>;
  getRateLimitCounter: (principal: Principal, limits: RequestLimits) => RateLimitCounter;
  listPermissions: (principal: Principal, item: CountedCredential) => string[];
  /** Why it is refused regardless of its permissions; `undefined` if the permissions decide. */
  findRefusal: (principal: Principal, guard: AccessRules) => ServiceError | 'accepted' | undefined;
}

/** Of a credential that is refused wherever an endpoint does not name it, also where any credential of a user is enough. */
const onlyWhereAccepted =
  (name: SpecialCredential): CredentialKind['findRefusal'] =>
  (_principal, { permission, accepts }) => {
    if (accepts?.includes(name)) return 'accepted';
    return missingPermission(permission === 'authenticated' || permission === 'public' ? '*' : permission);
  };

/** The credential may be valid, but cannot be verified now. API Gateway returns 401 for this message. */
export class TemporaryRefusal extends Error {
  constructor() {
    super('Unauthorized');
  }
}

/** API Gateway caches a refusal for a minute, and a client may send a credential right after its creation. */
const consistentRead = { consistent: true };

/** The condition that a key still has the value that was sent, and can be used. */
const toAliveCondition = (hash: string | null): WriteCondition => ({
  expression:
    '#hash = :hash AND #isActive = :true AND (attribute_type(#expiresAt, :null) OR #expiresAt > :now)',
  values: { hash, true: true, null: 'NULL' },
});

const isAliveKey = (item: CountedCredential | undefined, hash: string | null, now: string): boolean =>
  item?.hash === hash && item.isActive === true && !(item.expiresAt && item.expiresAt <= now);

/** API keys: `tv_live_…` and `tv_test_…`. Each request reads the key's item for its validity and permissions. */
const apiKeyKind: CredentialKind = {
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

/** A user interface sends many concurrent requests, so sessions have higher limits. */
const limitFactor = 10;

/** Tokens of the OIDC issuer. The service trusts the claims of a token until it expires. */
const sessionKind: CredentialKind = {
  recognises: (token) => token.split('.').length === 3,

  async findCaller(token) {
    // Loaded on demand: only the authorizer verifies tokens.
    const [{ verifySessionToken }, { UntrustedToken }] = await Promise.all([
      import('./session.ts'),
      import('./issuer.ts'),
    ]);
    try {
      return await verifySessionToken(token);
    } catch (error) {
      if (!(error instanceof UntrustedToken)) throw error;
      log.info('A session token was rejected', { reason: error.message });
      if (!error.isFinal) throw new TemporaryRefusal();
      return undefined;
    }
  },

  getRateLimitCounter: ({ userId }, { perHour = 0, perDay }) => ({
    entity: sessionRateLimitEntity,
    key: { userId },
    alive: undefined,
    isAlive: () => true,
    perHour: perHour * limitFactor,
    perDay: perDay * limitFactor,
  }),

  listPermissions: ({ permissions }) => permissions,
  findRefusal: () => undefined,
};

/** Acts for the user who created the link, only on the endpoints that accept it. */
const setupLinkKind: CredentialKind = {
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

const perMinuteDefault = 600;

/** Keys of surfaces: `tv_surface_live_…` and `tv_surface_test_…`, for the endpoints that accept them. */
const surfaceKeyKind: CredentialKind = {
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
  // `assertMayRun` in domain/surfaces/exposed-item.ts checks them.
  listPermissions: (_principal, { scopes = [] }) => scopes,

  findRefusal: onlyWhereAccepted('surface-key'),
};

/** Every kind of credential. To add one, add a `CredentialKind` above and an entry here. */
export const credentialKinds: Record<Principal['kind'], CredentialKind> = {
  key: apiKeyKind,
  session: sessionKind,
  intake: setupLinkKind,
  surface: surfaceKeyKind,
};

export const credentialKind = (token: string): CredentialKind | undefined =>
  Object.values(credentialKinds).find(({ recognises }) => recognises(token));
