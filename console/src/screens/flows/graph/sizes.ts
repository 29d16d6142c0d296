import { allLists } from '../steps/lists.ts';
import type { Step } from '../steps/steps.ts';

export const nodeSize = { width: 240, height: 60 };
/** Room for a line with its note and the button that inserts a step. */
export const gap = 48;
/** Room for the lines from a step to the lists that it holds, and back. */
export const fork = 28;
/** Between lists side by side. */
export const spacing = 40;
/** Around steps that run several times: room for a frame, and for the line of a loop back to its beginning. */
export const frame = 24;

export interface Size {
  width: number;
  height: number;
}

/** Whether a step runs the steps that it holds several times. */
export const repeats = ({ type }: Pick<Step, 'type'>) => ['map', 'loop', 'reduce'].includes(type);

export function sizeOfList(list: readonly Step[], sizes: Map<readonly Step[], Size>): Size {
  const measured = sizes.get(list);
  if (measured) return measured;
  const steps = list.map((step) => sizeOfStep(step, sizes));
  const size = {
    width: Math.max(nodeSize.width, ...steps.map(({ width }) => width)),
    height: steps.reduce((sum, { height }) => sum + gap + height, gap),
  };
  sizes.set(list, size);
  return size;
}

export function sizeOfStep(step: Step, sizes: Map<readonly Step[], Size>): Size {
  const lists = allLists(step).map(({ steps }) => sizeOfList(steps, sizes));
  if (lists.length === 0) return nodeSize;
  const inside = lists.reduce((sum, { width }) => sum + width, spacing * (lists.length - 1));
  return {
    width: inside + (repeats(step) ? 2 * frame : 0),
    height: nodeSize.height + 2 * fork + Math.max(...lists.map(({ height }) => height)),
  };
}
