import { homeTexts } from '../../../texts/home.ts';

/** Adds every `size` values up, so that a chart has fewer bars. */
export function folded(values: readonly number[], size: number): number[] {
  const sums: number[] = [];
  for (let start = 0; start < values.length; start += size) {
    sums.push(values.slice(start, start + size).reduce((sum, value) => sum + value, 0));
  }
  return sums;
}

/** When each bar begins, in ms. */
export const barTimes = (from: string, count: number, barMs: number): number[] =>
  Array.from({ length: count }, (_, index) => Date.parse(from) + index * barMs);

interface Group {
  key: string | null;
  name: string | null;
  points: readonly { at: string; cost: string | null }[];
  total: { cost: string | null };
}

export interface ChartLine {
  label: string;
  values: number[];
}

const shownMost = 5;

/** The cost over time of the groups that cost the most; the others together. Groups without a cost are left out. */
export function costLines(groups: readonly Group[], nameless: string, perBar: number): ChartLine[] {
  const costly = groups
    .filter(({ total }) => Number(total.cost ?? 0) > 0)
    .toSorted((one, other) => Number(other.total.cost) - Number(one.total.cost));
  const lineOf = ({ key, name, points }: Group): ChartLine => ({
    label: name ?? key ?? nameless,
    values: folded(
      points.map(({ cost }) => Number(cost ?? 0)),
      perBar,
    ),
  });
  const shown = costly.slice(0, shownMost).map(lineOf);
  const rest = costly.slice(shownMost).map(lineOf);
  return rest.length === 0 ? shown : [...shown, { label: homeTexts.more(rest.length), values: sumOf(rest) }];
}

const sumOf = (lines: readonly ChartLine[]): number[] =>
  (lines[0]?.values ?? []).map((_, index) =>
    lines.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
