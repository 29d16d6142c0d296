import { type ErrorDetail, invalidAt, toDetail } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { flowFinder } from '../flow-store.ts';
import type { FlowStep } from '../steps/step.ts';
import { versionFinder } from '../version-store.ts';
import {
  createFlowReader,
  type FlowReader,
  type FlowTarget,
  flowsMax,
  levelsMax,
  listFlowTargets,
} from './sub-flows.ts';

export interface PlacedTarget extends FlowTarget {
  /** Of the config of the step, within the body. */
  path: readonly PropertyKey[];
}

/** @throws 400 if the flow cannot run what a version of it runs, at its `versionId` */
export const assertPublishable = /* @__PURE__ */ using(
  [flowFinder, versionFinder],
  (scope: Scope) =>
    async (flowId: string, steps: readonly FlowStep[]): Promise<void> => {
      const targets = listFlowTargets(steps).map((target) => ({ ...target, path: [] }));
      const [problem] = await findFlowTargetProblems(createFlowReader(scope), targets, flowId);
      if (problem) throw invalidAt('versionId', problem.code, problem.message);
    },
);

/** Why a flow cannot be saved with these `flow` steps. @param ownId Of the flow, if it exists. */
export async function findFlowTargetProblems(
  flows: FlowReader,
  targets: readonly PlacedTarget[],
  ownId: string | undefined,
): Promise<ErrorDetail[]> {
  const reading = openReading(flows);
  const problems: ErrorDetail[] = [];
  for (const { path, ...target } of targets) {
    const found = await findProblem(reading, target, ownId);
    if (found) problems.push(toDetail([...path, found.member], found.code, found.message));
  }
  return problems;
}

async function findProblem(reading: Reading, target: FlowTarget, ownId: string | undefined) {
  const { flowId, version } = target;
  const flow = await reading.flow(flowId);
  const invalid = (code: 'INVALID_VALUE' | 'TOO_DEEP', message: string) => ({
    member: 'flowId',
    code,
    message,
  });
  if (!flow)
    return { member: 'flowId', code: 'UNKNOWN_FLOW' as const, message: `There is no flow ${flowId}` };
  if (version !== 'published' && (await reading.version(target))?.type !== 'published') {
    const message = `The flow "${flow.name}" has no published version ${version}`;
    return { member: 'version', code: 'UNKNOWN_VERSION' as const, message };
  }
  const levels = await measureLevels(reading, target, [ownId ?? 'new']);
  if (levels === 'circle') return invalid('INVALID_VALUE', 'The flow would run itself. Choose another flow');
  if (levels === 'too many') {
    return invalid('TOO_DEEP', `A flow runs at most ${flowsMax} other flows, with those that they run`);
  }
  if (levels <= levelsMax) return undefined;
  return invalid('TOO_DEEP', `Flows run each other at most ${levelsMax} levels deep, counting drafts`);
}

/** How many flows are inside of each other here, whichever of their versions run. @param above The ids of those around */
async function measureLevels(
  reading: Reading,
  { flowId, version }: FlowTarget,
  above: readonly string[],
): Promise<number | 'circle' | 'too many'> {
  if (above.includes(flowId)) return 'circle';
  if (above.length > levelsMax) return above.length;
  const name = `${flowId} ${version}`;
  const cached = reading.levels.get(name);
  if (cached !== undefined) return cached;
  const targets = await reading.targets({ flowId, version });
  if (reading.count() > flowsMax) return 'too many';
  let most = 0;
  for (const target of targets) {
    const below = await measureLevels(reading, target, [...above, flowId]);
    if (typeof below !== 'number') return below;
    most = Math.max(most, below);
  }
  reading.levels.set(name, most + 1);
  return most + 1;
}

/** Remembers what it read, for all of the targets. */
function openReading(flows: FlowReader) {
  const read = new Set<string>();
  const flow = (id: string) => {
    read.add(id);
    return flows.flow(id);
  };
  return {
    flow,
    version: flows.version,
    count: () => read.size,
    levels: new Map<string, number>(),

    /** What the draft, the published and the named version of a flow run. */
    async targets({ flowId, version: named }: FlowTarget): Promise<FlowTarget[]> {
      const current = await flow(flowId);
      const ids = new Set([current?.publishedVersionId, named === 'published' ? null : named]);
      const others = await Promise.all(
        [...ids].map((id) => (id ? flows.version({ flowId, version: id }) : undefined)),
      );
      const all = [current, ...others].flatMap((each) => listFlowTargets(each?.steps ?? []));
      return [...new Map(all.map((each) => [`${each.flowId} ${each.version}`, each])).values()];
    },
  };
}

type Reading = ReturnType<typeof openReading>;
