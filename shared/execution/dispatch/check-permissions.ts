import { missingPermission } from '../../core/errors.ts';
import { secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import { stepTypeOf } from '../../domain/flows/step-types/index.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { DispatchBody } from './request.ts';

/** @throws 403 where the request does more than run a stored flow and the caller lacks the permission for that. */
export function checkPermissions({ permissions }: Principal, { flow, record, options }: DispatchBody): void {
  const need = (permission: Permission) => {
    if (!covers(permissions, permission)) throw missingPermission(permission);
  };
  if (options.flowMode === 'create' || options.flowMode === 'upsert') need('FLOWS:WRITE');
  if (options.autoAppendMetadata || (record && options.recordMode === 'create')) need('RECORDS:WRITE');
  if (!flow?.steps) return;
  if (record?.id || options.recordMode === 'existing') need('RECORDS:READ');
  // Whoever can create a flow that sends a secret somewhere can read the secret there.
  if (secretKeysOfSteps(flow.steps).length > 0) need('FLOWS:WRITE');
  for (const { step } of walkSteps(flow.steps)) {
    const { permission } = stepTypeOf(step.type);
    if (permission) need(permission);
  }
}
