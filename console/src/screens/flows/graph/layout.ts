import { editorTexts } from '../../../texts/flow-editor.ts';
import { allLists, branchNames } from '../steps/lists.ts';
import type { StepPlace } from '../steps/places.ts';
import type { Step } from '../steps/steps.ts';
import { fork, frame, gap, nodeSize, repeats, type Size, sizeOfList, sizeOfStep, spacing } from './sizes.ts';

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
  place: StepPlace;
  /** The step before it, and the one that it leads to. */
  from: Step | undefined;
  to: Step | undefined;
}

/** When or how often the steps of a list run, at its beginning. */
interface ListLabel {
  key: string;
  x: number;
  y: number;
  text: string;
}

/** Around steps that run several times. */
interface Frame extends Size {
  key: string;
  x: number;
  y: number;
}

export interface GraphLayout {
  width: number;
  height: number;
  /** The middle of what stands at the top: the input of a run. */
  start: { x: number; y: number };
  nodes: GraphNode[];
  lines: GraphLine[];
  /** Lines from a step to the lists that it holds, and back. */
  forks: { key: string; d: string; y: number }[];
  /** From the last step of a loop back to its first. */
  loops: { key: string; d: string }[];
  labels: ListLabel[];
  frames: Frame[];
}

/**
 * The steps of a flow from top to bottom, the lists that a step holds below it, side by side. Flows are made of
 * sequences and such lists alone, so one pass over the steps places them all.
 */
export function layOutSteps(steps: readonly Step[]): GraphLayout {
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
    frames: [],
    loops: [],
  };
  placeList(layout, sizes, { list: steps, within: undefined, x: width / 2, y: startHeight });
  return layout;
}

interface ListAt {
  list: readonly Step[];
  within: StepPlace['within'];
  /** Its middle. */
  x: number;
  y: number;
}

/** @returns where it ends. */
function placeList(
  layout: GraphLayout,
  sizes: Map<readonly Step[], Size>,
  { list, within, x, y }: ListAt,
): number {
  const key = within ? `${within.holderId} ${within.name}` : 'flow';
  let top = y;
  for (const [at, to] of [...list, undefined].entries()) {
    const line = { d: `M${x} ${top}V${top + gap}`, x, y: top + gap / 2, from: list[at - 1], to };
    layout.lines.push({ key: `${key} ${at}`, place: { within, at }, ...line });
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
  const lists = allLists(step);
  if (lists.length === 0) return bottom;
  const { width, height } = sizeOfStep(step, sizes);
  const end = y + height;
  const top = bottom + fork;
  const isFramed = repeats(step);
  let left = x - width / 2 + (isFramed ? frame : 0);
  for (const { name, steps: list } of lists) {
    const size = sizeOfList(list, sizes);
    const middle = left + size.width / 2;
    const within = { holderId: step.id, name };
    const listEnd = placeList(layout, sizes, { list, within, x: middle, y: top });
    const key = `${step.id} ${name}`;
    if (isFramed) layout.frames.push({ key, x: x - width / 2, y: top, width, height: listEnd - top });
    if (step.type === 'loop') {
      const right = x + width / 2 - frame / 2;
      layout.loops.push({ key, d: lineBack(middle, listEnd, right, top) });
    }
    layout.labels.push({ key, x: middle, y: top, text: listLabel(step, name) });
    layout.forks.push({ key, d: `M${x} ${bottom}${curve(x, bottom, middle, top)}`, y: bottom });
    const back = `M${middle} ${listEnd}V${end - fork}${curve(middle, end - fork, x, end)}`;
    layout.forks.push({ key: `${key} end`, d: back, y: end });
    left += size.width + spacing;
  }
  return end;
}

/** From the end of a list to its beginning, along its right side. */
function lineBack(x: number, from: number, right: number, to: number): string {
  // Below the button that inserts a first step, and below that for a last one.
  const [low, high, round] = [from - 6, to + gap - 6, 10];
  const up = `H${right - round}Q${right} ${low} ${right} ${low - round}V${high + round}`;
  return `M${x} ${low}${up}Q${right} ${high} ${right - round} ${high}H${x + 4}`;
}

/** From one point to another, downwards at both. */
function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (y1 + y2) / 2;
  return `C${x1} ${half} ${x2} ${half} ${x2} ${y2}`;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** What stands at the beginning of a list in the graph: when, or how often, its steps run. */
function listLabel(step: Step, name: string): string {
  const { type, config } = step;
  if (name === 'trueSteps') return editorTexts.true;
  if (name === 'falseSteps') return editorTexts.false;
  if (type === 'loop') return editorTexts.whileCondition(textOf(config?.while) || '…');
  if (type === 'reduce') return editorTexts.forEachChunk;
  if (type === 'map') return editorTexts.forEachOf(textOf(config?.items) || '…');
  const index = Number(name.split('.')[1]);
  return branchNames(step)[index] || editorTexts.branchNumber(index + 1);
}

/**
 * The node that an arrow key leads to. Up and down go through all steps in their order, as in a tree; left and right, to
 * the nearest one beside. `home` and `end` are the first and the last.
 */
export function nextInDirection(
  { nodes }: Pick<GraphLayout, 'nodes'>,
  fromId: string | undefined,
  direction: string,
): GraphNode | undefined {
  const index = nodes.findIndex(({ step }) => step.id === fromId);
  const from = nodes[index];
  switch (direction) {
    case 'home':
      return nodes[0];
    case 'end':
      return nodes.at(-1);
    case 'down':
      return nodes[index + 1];
    case 'up':
      return nodes[index - 1];
    case 'left':
    case 'right':
      return from && nearestBeside(nodes, from, direction === 'left' ? -1 : 1);
    default:
      return undefined;
  }
}

function nearestBeside(nodes: readonly GraphNode[], from: GraphNode, side: -1 | 1): GraphNode | undefined {
  const distance = ({ x, y }: GraphNode) => Math.abs(x - from.x) + 2 * Math.abs(y - from.y);
  const beside = nodes.filter(({ x }) => (x - from.x) * side > 0);
  return beside.reduce<GraphNode | undefined>(
    (best, node) => (best && distance(best) <= distance(node) ? best : node),
    undefined,
  );
}
