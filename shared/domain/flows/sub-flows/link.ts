import { heldLists, mapHeldLists, nestedListsMax } from '../steps/held-lists.ts';
import { type LinkedConfig, linkedFlow, linkedSteps } from '../steps/linked-steps.ts';
import type { FlowStep } from '../steps/step.ts';
import { type FlowTarget, flowTarget } from './flow-targets.ts';
import type { RunnableVersion } from './load-sub-flows.ts';
import { levelsMax, type SubFlows, stepsMax, versionIn } from './sub-flows.ts';

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
      const target = flowTarget(step);
      return { ...step, config: target ? { ...config, ...linked(target, inside) } : config };
    });

  function linked(target: FlowTarget, { above, depth }: Place): LinkedConfig {
    const { flowId } = target;
    const flow = flows[flowId];
    const held = steps.get(versionIn(flows, target) ?? '');
    const problem = problemOf(target, flow, held, { above, depth });
    if (problem !== undefined || !flow || !held)
      return { [linkedFlow]: { problem: problem ?? missing(flowId) } };
    return {
      [linkedFlow]: { id: flowId, name: flow.name },
      [linkedSteps]: linkList(held, { above: [...above, flowId], depth }),
    };
  }

  function problemOf(
    { flowId, version }: FlowTarget,
    flow: SubFlows[string] | undefined,
    held: readonly FlowStep[] | undefined,
    { above, depth }: Place,
  ): string | undefined {
    if (!flow) return missing(flowId);
    const named = `The flow "${flow.name}"`;
    if (above.includes(flowId)) return `${named} would run itself; remove one of the steps that run it`;
    if (version === 'published' && !flow.versionId) return `${named} has no published version; publish it`;
    if (!held) return `${named} has no version ${versionIn(flows, { flowId, version })}; choose another`;
    if (above.length > levelsMax) return `Flows run each other at most ${levelsMax} levels deep`;
    if (count + held.length > stepsMax) {
      return `The flow and those that it runs have more than ${stepsMax} steps together`;
    }
    if (depth - 1 + nestingOf(held) > nestedListsMax) {
      return `Steps are nested more than ${nestedListsMax} levels deep, with those of ${named}`;
    }
    return undefined;
  }

  return linkList(root.steps, { above: [root.flowId], depth: 1 });
}

const missing = (flowId: string) => `There is no flow ${flowId}; choose another`;

/** How many lists are inside of each other, with the list itself. */
const nestingOf = (steps: readonly unknown[]): number =>
  1 +
  Math.max(
    0,
    ...steps.flatMap((step) =>
      heldLists((step as Partial<FlowStep> | null)?.config).map((held) => nestingOf(held.steps)),
    ),
  );
