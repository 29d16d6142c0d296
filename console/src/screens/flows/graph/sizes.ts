import { branchesOf, type Step } from '../steps/steps.ts';

export const nodeSize = { width: 240, height: 60 };
/** Room for a line with its note and the button that inserts a step. */
export const gap = 48;
/** Room for the lines from a condition to its branches, and back. */
export const fork = 28;
/** Between branches. */
export const spacing = 40;

export interface Size {
  width: number;
  height: number;
}

/** The branches of a condition, also those without steps. */
export const allBranches = (step: Step): [string, readonly Step[]][] => {
  if (step.type !== 'conditional') return [];
  const given = new Map(branchesOf(step));
  return ['trueSteps', 'falseSteps'].map((name) => [name, given.get(name) ?? []]);
};

export function sizeOfList(list: readonly Step[], sizes: Map<readonly Step[], Size>): Size {
  const known = sizes.get(list);
  if (known) return known;
  const steps = list.map((step) => sizeOfStep(step, sizes));
  const size = {
    width: Math.max(nodeSize.width, ...steps.map(({ width }) => width)),
    height: steps.reduce((sum, { height }) => sum + gap + height, gap),
  };
  sizes.set(list, size);
  return size;
}

export function sizeOfStep(step: Step, sizes: Map<readonly Step[], Size>): Size {
  const branches = allBranches(step).map(([, list]) => sizeOfList(list, sizes));
  if (branches.length === 0) return nodeSize;
  return {
    width: branches.reduce((sum, { width }) => sum + width, spacing * (branches.length - 1)),
    height: nodeSize.height + 2 * fork + Math.max(...branches.map(({ height }) => height)),
  };
}
