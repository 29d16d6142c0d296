import { covers, type Permission } from '../auth/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import { keysOfSteps } from '../flows/secret-keys.ts';
import { branchesOf } from '../flows/steps/branches.ts';
import { stepTypeOf } from '../flows/steps/index.ts';
import { missingPermission } from '../http/errors.ts';
import type { DispatchBody } from './request.ts';

/** @throws 403 where the request asks for more than running a stored flow, and the caller may not do that. */
export function checkPermissions({ permissions }: Principal, { flow, record, options }: DispatchBody): void {
  const need = (permission: Permission) => {
    if (!covers(permissions, permission)) throw missingPermission(permission);
  };
  if (options.flowMode === 'create' || options.flowMode === 'upsert') need('FLOWS:WRITE');
  if (options.autoAppendMetadata || (record && options.recordMode === 'create')) need('RECORDS:WRITE');
  if (!flow?.steps) return;
  if (record?.id || options.recordMode === 'existing') need('RECORDS:READ');
  // Whoever can make a flow that takes a secret somewhere can read it there.
  if (keysOfSteps(flow.steps).length > 0) need('FLOWS:WRITE');
  for (const { type } of everyStep(flow.steps)) {
    const { permission } = stepTypeOf(type);
    if (permission) need(permission);
  }
}

function everyStep(steps: readonly { type: string; config?: unknown }[]): { type: string }[] {
  return steps.flatMap((step) => [
    step,
    ...branchesOf(step.config).flatMap(([, branch]) => everyStep(branch as { type: string }[])),
  ]);
}
