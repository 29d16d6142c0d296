import {
  findHeldLists,
  type LinkedConfig,
  linkedFlow,
  linkedSteps,
  mapHeldLists,
  nestedListsMax,
} from '../steps/held-lists.ts';
import type { FlowStep } from '../steps/step.ts';
import {
  type FlowTarget,
  findFlowTarget,
  findVersionId,
  levelsMax,
  type RunnableVersion,
  type SubFlows,
  stepsMax,
} from './sub-flows.ts';

interface Place {
  /** The flows around, beginning with the one that is run. */
  above: readonly string[];
  /** How deep the list is nested. */
  depth: number;
}

/**
 * A copy of the steps in which each `flow` step holds what it runs, or says why it cannot.
 * @param root The version that is run.
 */
export function linkSteps(
  root: { flowId: string; steps: readonly FlowStep[] },
  flows: SubFlows,
  versions: readonly RunnableVersion[],
): FlowStep[] {
  const steps = new Map(versions.map((version) => [version.versionId, version.steps]));
  let count = 0;

  const linkList = (list: readonly FlowStep[], place: Place): FlowStep[] =>
    list.map((step) => {
      count++;
      const inside = { ...place, depth: place.depth + 1 };
      const config = mapHeldLists(step.config, (held) => linkList(held as FlowStep[], inside));
      const target = findFlowTarget(step);
      return { ...step, config: target ? { ...config, ...linkTarget(target, inside) } : config };
    });

  function linkTarget(target: FlowTarget, { above, depth }: Place): LinkedConfig {
    const { flowId } = target;
    const flow = flows[flowId];
    const held = steps.get(findVersionId(flows, target) ?? '');
    const problem = findProblem(target, flow, held, { above, depth });
    if (problem !== undefined || !flow || !held)
      return { [linkedFlow]: { problem: problem ?? describeMissing(flowId) } };
    return {
      [linkedFlow]: { id: flowId, name: flow.name },
      [linkedSteps]: linkList(held, { above: [...above, flowId], depth }),
    };
  }

  function findProblem(
    { flowId, version }: FlowTarget,
    flow: SubFlows[string] | undefined,
    held: readonly FlowStep[] | undefined,
    { above, depth }: Place,
  ): string | undefined {
    if (!flow) return describeMissing(flowId);
    const named = `The flow "${flow.name}"`;
    if (above.includes(flowId)) return `${named} would run itself; remove one of the steps that run it`;
    if (version === 'published' && !flow.versionId) return `${named} has no published version; publish it`;
    if (!held) return `${named} has no version ${findVersionId(flows, { flowId, version })}; choose another`;
    if (above.length > levelsMax) return `Flows run each other at most ${levelsMax} levels deep`;
    if (count + held.length > stepsMax) {
      return `The flow and those that it runs have more than ${stepsMax} steps together`;
    }
    if (depth - 1 + measureNesting(held) > nestedListsMax) {
      return `Steps are nested more than ${nestedListsMax} levels deep, with those of ${named}`;
    }
    return undefined;
  }

  return linkList(root.steps, { above: [root.flowId], depth: 1 });
}

const describeMissing = (flowId: string) => `There is no flow ${flowId}; choose another`;

/** How many lists are inside of each other, with the list itself. */
const measureNesting = (steps: readonly unknown[]): number =>
  1 +
  Math.max(
    0,
    ...steps.flatMap((step) =>
      findHeldLists((step as Partial<FlowStep> | null)?.config).map((held) => measureNesting(held.steps)),
    ),
  );
