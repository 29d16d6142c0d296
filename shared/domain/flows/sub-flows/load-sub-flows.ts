import { ifMissing } from '../../../core/errors/errors.ts';
import { decodeReadable } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { flowEntity } from '../flow.ts';
import type { FlowStep } from '../steps/step.ts';
import { type FlowTarget, listFlowTargets } from './flow-targets.ts';
import { findVersionId, flowsMax, levelsMax, type SubFlows } from './sub-flows.ts';

/** A version of another flow that a run runs. */
export interface RunnableVersion {
  id: string;
  name: string;
  versionId: string;
  steps: readonly FlowStep[];
}

/** Reads the steps of a version. @throws 404 */
export type ReadSteps = (flowId: string, versionId: string) => Promise<readonly FlowStep[]>;

/**
 * Reads the flows that steps run, and those that these run.
 * @param loaded As they were when the run started. Without it, they are looked up.
 */
export async function loadSubFlows(
  { table }: Pick<Scope, 'table'>,
  steps: readonly FlowStep[],
  readSteps: ReadSteps,
  loaded?: SubFlows,
): Promise<{ flows: SubFlows; versions: RunnableVersion[] }> {
  const flows: SubFlows = { ...loaded };
  const versions = new Map<string, RunnableVersion>();

  const asked = new Set<string>();

  async function lookUp(targets: readonly FlowTarget[]): Promise<void> {
    const left = flowsMax - Object.keys(flows).length;
    const ids = [...new Set(targets.map(({ flowId }) => flowId))].filter((id) => !Object.hasOwn(flows, id));
    const found = await table.getMany(ids.slice(0, left).map((id) => flowEntity.key({ id })));
    for (const { id, name, publishedVersionId } of decodeReadable(flowEntity, found)) {
      flows[id] = { name, ...(publishedVersionId && { versionId: publishedVersionId }) };
    }
  }

  async function read(target: FlowTarget): Promise<readonly FlowStep[]> {
    const { flowId: id } = target;
    const versionId = findVersionId(flows, target);
    if (!versionId || asked.has(versionId)) return [];
    asked.add(versionId);
    const steps = await readSteps(id, versionId).catch(ifMissing(undefined));
    if (steps) versions.set(versionId, { id, name: flows[id]?.name ?? '', versionId, steps });
    return steps ?? [];
  }

  let targets = listFlowTargets(steps);
  for (let level = 0; level < levelsMax && targets.length > 0; level++) {
    if (!loaded) await lookUp(targets);
    targets = listFlowTargets((await Promise.all(targets.map(read))).flat());
  }
  return { flows, versions: [...versions.values()] };
}
