import { useNavigate, useSearch } from '@tanstack/react-router';
import { homeTexts } from '../../../texts/home.ts';
import { sharedTexts } from '../../../texts/shared.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const ranges = [
  { value: '24h', label: homeTexts.twentyFourHoursShort, words: homeTexts.twentyFourHours },
  { value: '7d', label: homeTexts.sevenDaysShort, words: sharedTexts.sevenDays },
  { value: '30d', label: homeTexts.thirtyDaysShort, words: sharedTexts.thirtyDays },
] as const;
export type Range = (typeof ranges)[number]['value'];

export const rangeWords = (range: Range): string =>
  ranges.find(({ value }) => value === range)?.words ?? range;

/** How the metrics of a range are asked for, and how many of their intervals make a bar of a chart. */
const shapes = {
  '24h': { interval: 'hour', ms: hourMs, intervals: 24, perBar: 1 },
  '7d': { interval: 'hour', ms: hourMs, intervals: 7 * 24, perBar: 6 },
  '30d': { interval: 'day', ms: dayMs, intervals: 30, perBar: 1 },
} as const satisfies Record<Range, object>;

/** The range of time that the address names, if it does, and how to choose another one. */
export function useRange(): [Range | undefined, (range: Range) => void] {
  const { range }: { range?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const listed = ranges.find(({ value }) => value === range)?.value;
  return [listed, (next) => navigate({ to: '.', search: { range: next }, replace: true } as never)];
}

export interface Window {
  interval: 'hour' | 'day';
  from: string;
  /** Of the equal time before, whose end is `from`. */
  beforeFrom: string;
  perBar: number;
  barMs: number;
}

/** The whole intervals of a range, up to the one that has begun. The same all through an interval. */
export function rangeWindow(range: Range, now: number): Window {
  const { interval, ms, intervals, perBar } = shapes[range];
  const from = (Math.floor(now / ms) + 1 - intervals) * ms;
  const iso = (at: number) => new Date(at).toISOString();
  return { interval, from: iso(from), beforeFrom: iso(from - intervals * ms), perBar, barMs: ms * perBar };
}
