import { type ApiError, forbidden, missingPermission, unauthorized } from '../../core/errors.ts';
import type { Scope } from '../data/scope.ts';
import { type Access, covers } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import { addressIn } from './addresses.ts';
import type { ApiKey } from './api-key.ts';
import { countAddress, countRequest } from './rate-limit.ts';
import { type RateLimit, tighterOf, type Windows } from './rate-limit-windows.ts';

/** What an endpoint asks of who calls it. */
export interface Guard {
  permission: Access;
  sessionOnly?: boolean;
  acceptsIntakeToken?: boolean;
}

export interface Admission {
  rateLimit: RateLimit;
  windows: Windows;
  /** Why this request may not go on. */
  refusal: ApiError | undefined;
  /** The credential's permissions at this moment. */
  held: string[];
}

/**
 * Counts one request and decides whether it may go on: one conditional update on the credential's item, which
 * fails when the key was revoked, rotated or narrowed, or when a window is full. Exact however many run at once.
 */
export async function admit(scope: Scope, principal: Principal, endpoint: Guard): Promise<Admission> {
  const { windows, item, full } = await countRequest(scope, principal);
  const refusal = item ? (full ?? refusalOf(principal, item, endpoint)) : unauthorized();
  return { rateLimit: tighterOf(windows), windows, refusal, held: heldBy(principal, item ?? {}) };
}

/** The same for a caller without a credential, who is known by an address alone. */
export async function admitAnonymous(scope: Scope, sourceIp: string | null): Promise<Admission> {
  const { windows, full } = await countAddress(scope, sourceIp);
  return { rateLimit: tighterOf(windows), windows, refusal: full, held: [] };
}

/** A session's permissions come from its token, a key's from its item, live. */
const heldBy = ({ kind, permissions }: Principal, item: Partial<ApiKey>) =>
  kind === 'session' ? permissions : (item.permissions ?? []);

function refusalOf(
  principal: Principal,
  item: Partial<ApiKey>,
  { permission: access, sessionOnly, acceptsIntakeToken }: Guard,
) {
  const { allowedIps = [] } = item;
  if (allowedIps.length > 0 && !addressIn(allowedIps, principal.sourceIp)) {
    return forbidden('IP address not allowed');
  }
  if (principal.kind === 'intake') {
    // A setup link is no credential of a user, so where any of these is enough it is not.
    const isAny = access === 'authenticated' || access === 'public';
    return acceptsIntakeToken ? undefined : missingPermission(isAny ? '*' : access);
  }
  if (sessionOnly && principal.kind === 'key') {
    const code = principal.environment === 'test' ? { code: 'TEST_KEY_PERMISSION_DENIED' } : {};
    return forbidden(`Missing required permission: ${access}`, code);
  }
  if (access === 'authenticated' || access === 'public' || covers(heldBy(principal, item), access)) return;
  return missingPermission(access);
}
