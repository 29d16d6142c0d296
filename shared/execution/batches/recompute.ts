import { invalidAt } from '../../core/errors/errors.ts';
import { flowFinder } from '../../domain/flows/flow-store.ts';
import { originOfRecompute, type RunLabels } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { runVersions } from '../runs/run-versions.ts';
import type { Batch } from './batch.ts';
import { type BatchOptions, batchStarter, type RunRecordSelection, selectRecords } from './start-batch.ts';

export interface RecomputeRequest {
  flowId: string;
  /** `published`, `draft`, or the id of a version. */
  version: string;
  records: RunRecordSelection;
  options: BatchOptions;
  labels: RunLabels;
}

/** Runs a version of a flow on records again, where something changed. */
export const recomputer = /* @__PURE__ */ using([batchStarter, runVersions, flowFinder], (scope: Scope) => {
  /** @throws 404, 400 without records, 409 without such a version */
  return async (
    { flowId, version, records, options, labels }: RecomputeRequest,
    principal: Principal,
    timeLeftMs: () => number,
  ): Promise<Batch> => {
    const flow = await flowFinder(scope).find(flowId);
    const [{ id: flowVersionId }, selected] = await Promise.all([
      runVersions(scope).resolve(flow, principal.environment, version),
      selectRecords(scope, records, timeLeftMs),
    ]);
    if (!selected || ('recordIds' in selected && selected.recordIds.length === 0))
      throw createNothingSelectedError();
    const selection = { options, flowVersionId };
    return batchStarter(scope).startSelected(
      flow,
      selected,
      { ...selection, origin: originOfRecompute(principal, labels) },
      principal,
    );
  };
});

export const createNothingSelectedError = () =>
  invalidAt('recordFilter', 'NO_RECORDS', 'No record matches the filter');
