import { recentModelAccount } from '../../../domain/model-configs/select-model.ts';
import { targetScope } from '../../../execution/targets/start-target.ts';
import type { Target } from '../../../execution/targets/target.ts';
import { targetFinder } from '../../../execution/targets/target.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { modelNotFound } from '../error-form.ts';
import { modelRuns } from '../model-run.ts';
import { assertMayAsk, parseTargetName } from './answerer-name.ts';

/** All that a model, a flow or an agent may take. */
export const answererScope = /* @__PURE__ */ using(
  [modelRuns, targetScope, targetFinder],
  (all: Scope) => all,
);

/** Begins to read the tenant's models, if it is one of them that is asked. */
export function readAccountAhead(scope: Scope, model: string): void {
  if (!parseTargetName(model)) recentModelAccount(scope);
}

/**
 * Who answers to the name of a model: a flow, an agent, or undefined for a model itself.
 * @throws 403 if the caller may not run it; 404 if the name is of no flow or agent
 */
export async function findAnswerer(
  scope: Scope,
  principal: Pick<Principal, 'permissions'>,
  model: string,
): Promise<Target | undefined> {
  const named = parseTargetName(model);
  assertMayAsk(principal.permissions, named);
  if (!named) return undefined;
  const target = await targetFinder(scope)(named.kind, named.idOrName);
  if (!target) throw modelNotFound(model);
  return target;
}
