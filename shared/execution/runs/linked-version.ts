import { ifMissing } from '../../core/errors/errors.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { flowTargetsIn } from '../../domain/flows/sub-flows/flow-targets.ts';
import { linkSteps } from '../../domain/flows/sub-flows/link.ts';
import { loadSubFlows, type ReadSteps } from '../../domain/flows/sub-flows/load-sub-flows.ts';
import type { SubFlows } from '../../domain/flows/sub-flows/sub-flows.ts';
import { type LoadedVersion, versionFinder } from '../../domain/flows/version-store.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** The version that a run runs, whose `flow` steps hold the steps of the flows that they run. */
export interface RunVersion extends LoadedVersion {
  /** Absent if it runs no other flow. Store it with the run, so that the run goes on with the same versions. */
  subFlows?: SubFlows;
}

/** Names what a stored run runs. */
export interface StoredVersion {
  flowId: string;
  flowVersionId: string;
  subFlows?: SubFlows | undefined;
}

/** The steps of a run that is shown. None if the flow was deleted, and its version with it. */
export async function storedSteps(
  scope: Scope,
  { flowId, flowVersionId, subFlows }: StoredVersion,
): Promise<FlowStep[]> {
  const versions = versionFinder(scope);
  const version = await versions.immutable(flowId, flowVersionId).catch(ifMissing(undefined));
  if (!version || !subFlows) return version?.steps ?? [];
  const read = async (id: string, versionId: string) => (await versions.immutable(id, versionId)).steps;
  return (await linked(scope, version, read, subFlows)).steps;
}

/** @param known As they were when the run started. Without it, they are looked up. */
export async function linked(
  scope: Pick<Scope, 'table'>,
  version: LoadedVersion,
  readSteps: ReadSteps,
  known?: SubFlows,
): Promise<RunVersion> {
  if (flowTargetsIn(version.steps).length === 0) return version;
  const { flows, versions } = await loadSubFlows(scope, version.steps, readSteps, known);
  return { ...version, steps: linkSteps(version, flows, versions), subFlows: flows };
}
