import { homeTexts } from '../../../texts/home.ts';
import { language } from '../../../texts/language.ts';
import { sharedTexts } from '../../../texts/shared.ts';

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

export interface NumberChange {
  direction: 'up' | 'down' | 'same';
  /** Beside an arrow: `12 %`. */
  text: string;
  /** Whether it is good news; undefined where neither is. */
  isGood?: boolean | undefined;
}

type Wish = 'less' | 'neither';

const percent = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const points = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** How a number differs from the one before, in percent. Nothing can be said against 0. */
export function percentChange(
  now: number | null,
  before: number | null,
  wish: Wish = 'neither',
): NumberChange | undefined {
  if (now === null || before === null || before === 0) return undefined;
  const share = (now - before) / before;
  const shown =
    Math.abs(share) >= 9.995
      ? homeTexts.overTenTimes
      : sharedTexts.percent(percent.format(Math.abs(share) * 100));
  return changeBy(share * 100, shown, wish, 0.5);
}

/** How a share differs from the one before, in percentage points. */
export function pointsChange(
  now: number | null,
  before: number | null,
  wish: Wish = 'neither',
): NumberChange | undefined {
  if (now === null || before === null) return undefined;
  const by = (now - before) * 100;
  return changeBy(by, homeTexts.points(points.format(Math.abs(by))), wish, 0.05);
}

function changeBy(by: number, text: string, wish: Wish, least: number): NumberChange {
  if (Math.abs(by) < least) return { direction: 'same', text: homeTexts.noChange };
  const direction = by > 0 ? 'up' : 'down';
  return { direction, text, ...(wish === 'less' && { isGood: by < 0 }) };
}

/** The share of runs that failed; null without runs. */
export const failureRate = ({ runs, failed }: { runs: number; failed: number }): number | null =>
  runs === 0 ? null : failed / runs;

export const percentText = (share: number | null): string =>
  share === null ? '–' : sharedTexts.percent(points.format(share * 100));
