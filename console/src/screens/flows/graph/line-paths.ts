import { gap } from './sizes.ts';

/** From the end of a list to its beginning, along its right side. */
export function lineBack(x: number, from: number, right: number, to: number): string {
  // Below the button that inserts a first step, and below that for a last one.
  const [low, high, round] = [from - 6, to + gap - 6, 10];
  const up = `H${right - round}Q${right} ${low} ${right} ${low - round}V${high + round}`;
  return `M${x} ${low}${up}Q${right} ${high} ${right - round} ${high}H${x + 4}`;
}

/** From one point to another, downwards at both. */
export function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (y1 + y2) / 2;
  return `C${x1} ${half} ${x2} ${half} ${x2} ${y2}`;
}
