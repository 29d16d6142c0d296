import * as z from 'zod';
import { loadEachOnce } from '../../../core/concurrency/load-once.ts';
import { ifMissing } from '../../../core/errors/errors.ts';
import { decodeReadable } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { flowEntity } from '../flow.ts';
import { flowFinder, type LoadedFlow } from '../flow-store.ts';
import { walkSteps } from '../steps/held-lists.ts';
import type { FlowStep } from '../steps/step.ts';
import { versionFinder } from '../version-store.ts';

/** The other flows that a run runs, by their ids, as they were when it started. */
export const SubFlows = z.record(
  z.string(),
  z.object({
    name: z.string(),
    /** The version that was published; absent if none was. */
    versionId: z.string().optional(),
  }),
);
export type SubFlows = z.infer<typeof SubFlows>;

/** How many flows may be inside of each other, below the one that is run. */
export const levelsMax = 5;
/** How many flows a run may run as steps. */
export const flowsMax = 100;
/** How many steps a run may have, with those of the flows that it runs. */
export const stepsMax = 2_000;

/** @returns undefined if the flow has no such version */
export const findVersionId = (flows: SubFlows, { flowId, version }: FlowTarget): string | undefined =>
  Object.hasOwn(flows, flowId) ? (version === 'published' ? flows[flowId]?.versionId : version) : undefined;

/** Another flow that a step runs. */
export interface FlowTarget {
  flowId: string;
  /** `published`, or the id of a version. */
  version: string;
}

type StepLike = Pick<FlowStep, 'type'> & { config?: Readonly<Record<string, unknown>> | undefined };

/** @returns undefined for steps of other types */
export const findFlowTarget = ({ type, config }: StepLike): FlowTarget | undefined =>
  type === 'flow'
    ? { flowId: String(config?.flowId), version: String(config?.version ?? 'published') }
    : undefined;

/** The flows that steps run, with those that they hold. */
export const listFlowTargets = (steps: readonly FlowStep[]): FlowTarget[] =>
  [...walkSteps(steps)].flatMap(({ step }) => findFlowTarget(step) ?? []);

/** Flows and their versions. A draft may be one that is not saved yet. */
export interface FlowReader {
  flow: (id: string) => Promise<Pick<LoadedFlow, 'name' | 'steps' | 'publishedVersionId'> | undefined>;
  version: (target: FlowTarget) => Promise<{ type: string; steps: FlowStep[] } | undefined>;
}

/** Reads each stored flow and each version once. */
export function createFlowReader(scope: Scope): FlowReader {
  const [flows, versions] = [flowFinder(scope), versionFinder(scope)];
  return {
    flow: loadEachOnce((id: string) => flows.get(id).catch(ifMissing(undefined))),
    version: loadEachOnce(
      ({ flowId, version }: FlowTarget) => versions.immutable(flowId, version).catch(ifMissing(undefined)),
      ({ flowId, version }) => `${flowId} ${version}`,
    ),
  };
}

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
