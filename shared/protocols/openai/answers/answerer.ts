import { missingPermission } from '../../../core/errors/errors.ts';
import { modelRuns } from '../../../execution/model-runs/model-run.ts';
import { targetFinder } from '../../../execution/targets/find-target.ts';
import { targetScope } from '../../../execution/targets/start-target.ts';
import type { Target } from '../../../execution/targets/target.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers, type Permission } from '../../../platform/identity/permissions.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { modelNotFound } from '../failures.ts';

/** All that a model, a flow or an agent may take. */
export const answererScope = /* @__PURE__ */ using(
  [modelRuns, targetScope, targetFinder],
  (all: Scope) => all,
);

export const ofTarget = /^(agent|flow)\/(.+)$/s;

/**
 * Who answers to the name of a model: a flow, an agent, or undefined for a model itself.
 * @throws 403 if the caller may not run it; 404 if the name is of no flow or agent
 */
export async function findAnswerer(
  scope: Scope,
  principal: Pick<Principal, 'permissions'>,
  model: string,
): Promise<Target | undefined> {
  const [, kind, idOrName = ''] = ofTarget.exec(model) ?? [];
  assertMay(principal, kind === 'agent' ? 'AGENTS:EXECUTE' : 'FLOWS:EXECUTE');
  if (kind === undefined) return undefined;
  const target = await targetFinder(scope)(kind as Target['kind'], idOrName);
  if (!target) throw modelNotFound(model);
  return target;
}

function assertMay({ permissions }: Pick<Principal, 'permissions'>, permission: Permission): void {
  if (!covers(permissions, permission)) throw missingPermission(permission);
}
