import { boundedMap } from '../../core/concurrency/cache.ts';
import {
  forbidden,
  missingPermission,
  type ServiceError,
  unauthenticated,
} from '../../core/errors/errors.ts';
import type { Scope } from '../data/scope.ts';
import { grants } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import { addressIn, toNetwork } from './addresses.ts';
import type { AccessRules, CountedCredential } from './credential-kind.ts';
import { credentialKinds } from './credential-kinds.ts';
import { anonymousLimits, countAnonymous, countRequest } from './rate-limit.ts';
import {
  defaultLimits,
  type RateLimit,
  type RequestLimits,
  tighterWindow,
  type Windows,
} from './rate-limit-windows.ts';

export interface RequestAdmission {
  rateLimit: RateLimit;
  windows: Windows;
  refusal: ServiceError | undefined;
  /** The current permissions of the credential. */
  permissions: string[];
}

/** The credentials that this process refused within the last minute. */
const refused = boundedMap<true>({ entriesMax: 10_000, ttlMs: 60_000 });
const credentialOf = ({ kind, tenant, userId, hash }: Principal) => hash ?? `${kind} ${tenant} ${userId}`;

/** Whether the next request of a credential may well be refused too, so that nothing should begin before the gate decides. */
export const wasRefused = (principal: Principal): boolean => refused.has(credentialOf(principal));

/** One conditional update of the credential's item counts and decides, so it is exact under concurrency. */
export async function admit(
  scope: Scope,
  principal: Principal,
  endpoint: AccessRules,
): Promise<RequestAdmission> {
  const { windows, item, full } = await countRequest(scope, principal);
  const refusal = item ? (full ?? refusalOf(principal, item, endpoint)) : unauthenticated();
  if (refusal) refused.set(credentialOf(principal), true);
  return {
    rateLimit: tighterWindow(windows),
    windows,
    refusal,
    permissions: permissionsOf(principal, item ?? {}),
  };
}

export const admitAddress = (scope: Scope, sourceIp: string | null) =>
  admitAnonymous(scope, toNetwork(sourceIp), anonymousLimits());

/** As many as a key has: clients that many people share an address of begin with a request without a credential. */
export const countChallenge: typeof admitAddress = (scope, sourceIp) =>
  admitAnonymous(scope, `Challenge ${toNetwork(sourceIp)}`, defaultLimits());

/** Counts one request without a credential under a shared name. */
export async function admitAnonymous(
  scope: Scope,
  counted: string,
  limits: RequestLimits,
): Promise<RequestAdmission> {
  const { windows, full } = await countAnonymous(scope, counted, limits);
  return { rateLimit: tighterWindow(windows), windows, refusal: full, permissions: [] };
}

const permissionsOf = (principal: Principal, item: CountedCredential) =>
  credentialKinds[principal.kind].permissionsOf(principal, item);

function refusalOf(
  principal: Principal,
  item: CountedCredential,
  guard: AccessRules,
): ServiceError | undefined {
  const { allowedIps = [] } = item;
  if (allowedIps.length > 0 && !addressIn(allowedIps, principal.sourceIp)) {
    return forbidden('IP address not allowed');
  }
  const refusal = credentialKinds[principal.kind].refusalOf(principal, guard);
  if (refusal) return refusal === 'accepted' ? undefined : refusal;
  const { permission } = guard;
  if (grants(permissionsOf(principal, item), permission)) return undefined;
  return missingPermission(permission);
}
