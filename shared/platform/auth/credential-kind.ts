import { missingPermission, type ServiceError } from '../../core/errors/errors.ts';
import type { AnyEntity } from '../data/entity.ts';
import type { WriteCondition } from '../data/writes.ts';
import type { Access } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import type { ApiKey } from './api-key.ts';
import type { Counters, RequestLimits } from './rate-limit-windows.ts';
import type { SurfaceKey } from './surface-key.ts';

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

export interface CredentialKind {
  recognises: (token: string) => boolean;
  /** The caller that a token identifies, or `undefined` if it is permanently invalid. @throws TemporaryRefusal */
  findCaller: (token: string) => Promise<Caller | undefined>;
  getRateLimitCounter: (principal: Principal, limits: RequestLimits) => RateLimitCounter;
  listPermissions: (principal: Principal, item: CountedCredential) => string[];
  /** Why it is refused regardless of its permissions; `undefined` if the permissions decide. */
  findRefusal: (principal: Principal, guard: AccessRules) => ServiceError | 'accepted' | undefined;
}

/** Of a credential that is refused wherever an endpoint does not name it, also where any credential of a user is enough. */
export const onlyWhereAccepted =
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
export const consistentRead = { consistent: true };
