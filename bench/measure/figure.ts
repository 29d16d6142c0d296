import { loadavg } from 'node:os';

export type Letter =
  | 'a'
  | 'b'
  | 'c'
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'h'
  | 'i'
  | 'j'
  | 'k'
  | 'l'
  | 'm'
  | 'n'
  | 'o'
  | 'p'
  | 'q'
  | 'r'
  | 's'
  | 't'
  | 'u'
  | 'v'
  | 'w'
  | 'x'
  | 'y'
  | 'z';

/** One measurement with its goal. */
export interface Figure {
  figure:
    | Letter
    | 'reuse'
    | 'map'
    | 'long-run'
    | 'throttle'
    | 'gateway'
    | 'dbos'
    | 'restate'
    | 'agents-peers'
    | 'lambda'
    | 'imports'
    | 'large-batch'
    | 'cities';
  what: string;
  value: number;
  unit: string;
  goal: { atMost: number } | { atLeast: number };
  /** The parts of the value. */
  details?: Record<string, unknown>;
  /** False if the value alone would be misleading. */
  sound?: boolean;
}

/** Its line, with the current load of the machine as an indication of its reliability. */
export function formatFigure({ figure, what, value, unit, goal, details, sound = true }: Figure): string {
  const [sign, bound, holds] =
    'atMost' in goal
      ? ['<=', goal.atMost, value <= goal.atMost]
      : ['>=', goal.atLeast, value >= goal.atLeast];
  return JSON.stringify({
    figure,
    what,
    value,
    unit,
    goal: `${sign} ${bound}`,
    met: sound && holds,
    ...details,
    loadAverage: round(loadavg()[0] ?? 0, 2),
  });
}

export const printProgress = (text: string) => process.stderr.write(`${text}\n`);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
}

export const round = (value: number, digits = 3) => Number(value.toFixed(digits));
