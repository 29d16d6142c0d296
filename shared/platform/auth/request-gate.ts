import { forbidden, missingPermission, type ServiceError, unauthenticated } from '../../core/errors.ts';
import type { Scope } from '../data/scope.ts';
import { covers } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import { addressIn, networkOf } from './addresses.ts';
import type { ApiKey } from './api-key.ts';
import type { AccessRules } from './credential-kind.ts';
import { credentialKinds } from './credential-kinds.ts';
import { anonymousLimits, countAnonymous, countRequest } from './rate-limit.ts';
import { type RateLimit, type RequestLimits, tighterWindow, type Windows } from './rate-limit-windows.ts';

export interface Admission {
  rateLimit: RateLimit;
  windows: Windows;
  /** Why this request may not go on. */
  refusal: ServiceError | undefined;
  /** The credential's permissions at this moment. */
  permissions: string[];
}

/**
 * Counts one request and decides whether it may go on: one conditional update on the credential's item, which
 * fails when the key was revoked, rotated or narrowed, or when a window is full. Exact however many run at once.
 */
export async function admit(scope: Scope, principal: Principal, endpoint: AccessRules): Promise<Admission> {
  const { windows, item, full } = await countRequest(scope, principal);
  const refusal = item ? (full ?? refusalOf(principal, item, endpoint)) : unauthenticated();
  return {
    rateLimit: tighterWindow(windows),
    windows,
    refusal,
    permissions: permissionsOf(principal, item ?? {}),
  };
}

/** The same for a caller without a credential, who is known by an address alone. */
export const admitAddress = (scope: Scope, sourceIp: string | null) =>
  admitAnonymous(scope, networkOf(sourceIp), anonymousLimits());

/** Counts one request without a credential, together with all others that are counted under the same name. */
export async function admitAnonymous(
  scope: Scope,
  counted: string,
  limits: RequestLimits,
): Promise<Admission> {
  const { windows, full } = await countAnonymous(scope, counted, limits);
  return { rateLimit: tighterWindow(windows), windows, refusal: full, permissions: [] };
}

const permissionsOf = (principal: Principal, item: Partial<ApiKey>) =>
  credentialKinds[principal.kind].permissionsOf(principal, item);

function refusalOf(
  principal: Principal,
  item: Partial<ApiKey>,
  guard: AccessRules,
): ServiceError | undefined {
  const { allowedIps = [] } = item;
  if (allowedIps.length > 0 && !addressIn(allowedIps, principal.sourceIp)) {
    return forbidden('IP address not allowed');
  }
  const refusal = credentialKinds[principal.kind].refusalOf(principal, guard);
  if (refusal) return refusal === 'accepted' ? undefined : refusal;
  const { permission } = guard;
  if (permission === 'authenticated' || permission === 'public') return undefined;
  return covers(permissionsOf(principal, item), permission) ? undefined : missingPermission(permission);
}
