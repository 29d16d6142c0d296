import { ifMissing } from '../../core/errors/errors.ts';
import { idKind } from '../../core/ids.ts';
import { flowStore } from '../../domain/flows/flow-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { noSteps, type PreparedRun } from '../dispatch/prepare.ts';
import { runVersions } from '../runs/run-versions.ts';

interface Choice {
  environment: 'production' | 'test';
  /** The version to run, if it is one of the flow. Default: that of the environment. */
  pinned?: string | undefined;
}

/** Finds the version that a run of a stored flow takes, and notes that the flow runs. */
export const flowToRun = /* @__PURE__ */ using([flowStore, runVersions], (scope: Scope) => {
  const flows = flowStore(scope);
  const versions = runVersions(scope);
  /** @throws 404 for an unknown flow, 409 if it was never saved, 422 if it has no steps. */
  return async (id: string, { environment, pinned: pin = '' }: Choice): Promise<PreparedRun> => {
    const flow = await flows.find(id);
    const isVersion = idKind(pin) === 'flowver';
    const pinned = isVersion ? await versions.get(id, pin).catch(ifMissing(undefined)) : undefined;
    const version = pinned ?? (await versions.of(flow, environment));
    if (version.steps.length === 0) throw noSteps();
    await flows.markRun(flow);
    return { flow: { id, name: flow.name }, version, record: undefined, persistResults: true };
  };
});
