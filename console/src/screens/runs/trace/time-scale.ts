interface Timed {
  startedAt: string;
  endedAt: string | null;
}

export interface TimeScale {
  /** Unix milliseconds. */
  start: number;
  lengthMs: number;
  /** Until when spans go on that have no end. */
  now: number;
}

/** From the first start to the last end. */
export function timeScale(spans: readonly Timed[], now: number): TimeScale {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, endedAt } of spans) {
    start = Math.min(start, Date.parse(startedAt));
    end = Math.max(end, endedAt ? Date.parse(endedAt) : now);
  }
  if (start > end) [start, end] = [now, now];
  return { start, lengthMs: Math.max(1, end - start), now };
}

/** Where the bar of a span begins, and its length: parts of 1. */
export function spanBar({ startedAt, endedAt }: Timed, { start, lengthMs, now }: TimeScale) {
  const from = Math.min(1, Math.max(0, (Date.parse(startedAt) - start) / lengthMs));
  const to = ((endedAt ? Date.parse(endedAt) : now) - start) / lengthMs;
  return { from, length: Math.min(1 - from, Math.max(0, to - from)) };
}

/** Round times on the axis, the first one 0, at most `most`. */
export function axisTicks(lengthMs: number, most = 5): number[] {
  const least = lengthMs / most;
  const step = units.find((unit) => unit >= least) ?? roundUp(least);
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step);
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const units = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((each) => each * second),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 6, 12, 24].map((each) => each * hour),
];
const roundUp = (ms: number) => Math.ceil(ms / (24 * hour)) * 24 * hour;
