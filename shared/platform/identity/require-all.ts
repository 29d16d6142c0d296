import { missingPermission } from '../../core/errors/errors.ts';
import { covers } from './permissions.ts';
import type { Principal } from './principal.ts';

/** @throws 403 if the caller lacks one of the permissions that the run took when it started. */
export function requireAll({ permissions }: Pick<Principal, 'permissions'>, needed: readonly string[]): void {
  const missing = needed.find((permission) => !covers(permissions, permission));
  if (missing !== undefined) throw missingPermission(missing);
}
