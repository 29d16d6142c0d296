import * as z from 'zod';

/**
 * A mergeable sketch of durations in milliseconds, whose quantiles have a relative error of 1 %: how many values are in each
 * logarithmic bucket, by the number of the bucket. (C. Masson, J. E. Rim, H. K. Lee: DDSketch: A Fast and Fully-Mergeable
 * Quantile Sketch with Relative-Error Guarantees, PVLDB 12, 2019.) Durations below one millisecond count as one.
 */
export const SketchCounts = z.record(z.string(), z.int());
export type SketchCounts = z.infer<typeof SketchCounts>;

const relativeError = 0.01;
const gamma = (1 + relativeError) / (1 - relativeError);

/** The bucket of a duration. */
export const durationBucket = (ms: number) => Math.ceil(Math.log(Math.max(1, ms)) / Math.log(gamma));

export const toSketch = (durations: readonly number[]): SketchCounts => {
  const counts: SketchCounts = {};
  for (const ms of durations) {
    const bucket = durationBucket(ms);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
};

/** Adds the counts of another sketch in place. */
export function mergeInto(counts: SketchCounts, other: SketchCounts): void {
  for (const [bucket, times] of Object.entries(other)) counts[bucket] = (counts[bucket] ?? 0) + times;
}

export function mergeSketch(one: SketchCounts, other: SketchCounts): SketchCounts {
  const merged = { ...one };
  mergeInto(merged, other);
  return merged;
}

/** The quantile by nearest rank, in milliseconds; null of an empty sketch. @param q Between 0 and 1. */
export function getSketchQuantile(counts: SketchCounts, q: number): number | null {
  const buckets = Object.entries(counts)
    .map(([bucket, times]) => [Number(bucket), times] as const)
    .sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, times]) => sum + times, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(q * total));
  let passed = 0;
  for (const [bucket, times] of buckets) {
    passed += times;
    if (passed >= rank) return (2 * gamma ** bucket) / (gamma + 1);
  }
  return null;
}
