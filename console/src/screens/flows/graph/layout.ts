import type { Place } from '../steps/places.ts';
import type { Step } from '../steps/steps.ts';
import { allBranches, fork, gap, nodeSize, type Size, sizeOfList, sizeOfStep, spacing } from './sizes.ts';

const startHeight = 40;

export interface GraphNode {
  step: Step;
  /** Of its upper left corner, in px. */
  x: number;
  y: number;
}

/** A line to the step at a place, or to the end of its list. */
interface GraphLine {
  key: string;
  d: string;
  /** Its middle. */
  x: number;
  y: number;
  place: Place;
  /** The step before it, and the one that it leads to. */
  from: Step | undefined;
  to: Step | undefined;
}

/** The name of a branch, at its beginning. */
interface BranchLabel {
  key: string;
  x: number;
  y: number;
  isTrue: boolean;
}

export interface GraphLayout {
  width: number;
  height: number;
  /** The middle of what stands at the top: the input of a run. */
  start: { x: number; y: number };
  nodes: GraphNode[];
  lines: GraphLine[];
  /** Lines from a condition to its branches, and back. */
  forks: { key: string; d: string; y: number }[];
  labels: BranchLabel[];
}

/**
 * The steps of a flow from top to bottom, branches side by side. Flows are made of sequences and branches alone, so one
 * pass over the steps places them all.
 */
export function layoutOf(steps: readonly Step[]): GraphLayout {
  const sizes = new Map<readonly Step[], Size>();
  const { width, height } = sizeOfList(steps, sizes);
  const layout: GraphLayout = {
    width,
    height: startHeight + height,
    start: { x: width / 2, y: startHeight / 2 },
    nodes: [],
    lines: [],
    forks: [],
    labels: [],
  };
  placeList(layout, sizes, { list: steps, branch: undefined, x: width / 2, y: startHeight });
  return layout;
}

interface ListAt {
  list: readonly Step[];
  branch: Place['branch'];
  /** Its middle. */
  x: number;
  y: number;
}

/** @returns where it ends. */
function placeList(
  layout: GraphLayout,
  sizes: Map<readonly Step[], Size>,
  { list, branch, x, y }: ListAt,
): number {
  const key = branch ? `${branch.conditionId} ${branch.name}` : 'flow';
  let top = y;
  for (const [at, to] of [...list, undefined].entries()) {
    const line = { d: `M${x} ${top}V${top + gap}`, x, y: top + gap / 2, from: list[at - 1], to };
    layout.lines.push({ key: `${key} ${at}`, place: { branch, at }, ...line });
    top += gap;
    if (to) top = placeStep(layout, sizes, to, { x, y: top });
  }
  return top;
}

function placeStep(
  layout: GraphLayout,
  sizes: Map<readonly Step[], Size>,
  step: Step,
  { x, y }: { x: number; y: number },
): number {
  layout.nodes.push({ step, x: x - nodeSize.width / 2, y });
  const bottom = y + nodeSize.height;
  const branches = allBranches(step);
  if (branches.length === 0) return bottom;
  const { width, height } = sizeOfStep(step, sizes);
  const end = y + height;
  let left = x - width / 2;
  for (const [name, list] of branches) {
    const size = sizeOfList(list, sizes);
    const middle = left + size.width / 2;
    const top = bottom + fork;
    const branch = { conditionId: step.id, name };
    const listEnd = placeList(layout, sizes, { list, branch, x: middle, y: top });
    const key = `${step.id} ${name}`;
    layout.labels.push({ key, x: middle, y: top, isTrue: name === 'trueSteps' });
    layout.forks.push({ key, d: `M${x} ${bottom}${curve(x, bottom, middle, top)}`, y: bottom });
    const back = `M${middle} ${listEnd}V${end - fork}${curve(middle, end - fork, x, end)}`;
    layout.forks.push({ key: `${key} end`, d: back, y: end });
    left += size.width + spacing;
  }
  return end;
}

/** From one point to another, downwards at both. */
function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (y1 + y2) / 2;
  return `C${x1} ${half} ${x2} ${half} ${x2} ${y2}`;
}
