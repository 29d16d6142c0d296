import type { ServiceError } from '../../core/errors.ts';
import type { AnyEntity } from '../data/entity.ts';
import type { Condition } from '../data/writes.ts';
import type { Access } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import type { ApiKey } from './api-key.ts';
import type { Counters, RequestLimits } from './rate-limit-windows.ts';

/** A principal as its credential alone tells it. */
export type Caller = Omit<Principal, 'sourceIp'>;

/** What an endpoint asks of who calls it. */
export interface AccessRules {
  permission: Access;
  sessionOnly?: boolean;
  acceptsSetupLink?: boolean;
}

/** Where requests are counted, and how many there may be. */
export interface RateLimitCounter {
  entity: AnyEntity;
  key: object;
  /** What must hold of the item beside its counters; nothing where the credential vouches for itself. */
  alive: Condition | undefined;
  /** The same, asked of the item as it was read. */
  isAlive: (item: Counters | undefined, now: string) => boolean;
  perHour: number;
  perDay: number;
}

/** All that is special to one kind of credential. */
export interface CredentialKind {
  /** Whether a token is of this kind, by its looks. */
  recognises: (token: string) => boolean;
  /** Whom a token speaks for; nobody where it never will be good. @throws RefusedForNow */
  callerOf: (token: string) => Promise<Caller | undefined>;
  rateLimitCounterOf: (principal: Principal, limits: RequestLimits) => RateLimitCounter;
  /** The permissions that it has at this moment. */
  permissionsOf: (principal: Principal, item: Partial<ApiKey>) => string[];
  /** Why it cannot be used for an endpoint, whatever it holds; nothing where its permissions decide. */
  refusalOf: (principal: Principal, guard: AccessRules) => ServiceError | 'accepted' | undefined;
}

/** The credential is refused now and may be good in a moment. API Gateway answers 401 to an authorizer with this message. */
export class TemporaryRefusal extends Error {
  constructor() {
    super('Unauthorized');
  }
}

/** As last written: what is not found is refused for a minute, and a credential may be sent as soon as it is made. */
export const consistentRead = { consistent: true };
