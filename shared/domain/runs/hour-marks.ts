/**
 * Marks the hours and days whose numbers have to be folded, before the runs that belong to them are stored.
 * A process writes a mark before the first end of a run in an hour, and relies on it until shortly before it is due; so no run
 * is stored in an hour that nobody will fold. A worker acquires a mark with a new revision, which later writes of others
 * invalidate, and removes it when the hour is folded (`run-metrics/sweep-metrics.ts`). Readers compute marked hours from the
 * rows.
 */
import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type Write } from '../../platform/data/writes.ts';
import { toHour } from './run.ts';

/** Hours and days whose numbers are to be folded. */
const marksPartition = tenantPartition('RUNMETRICS#MARKS');

/** There are numbers of this hour or day that no item has yet. */
export const markEntity = defineEntity({
  type: 'runMetricsMark',
  schema: z.object({
    period: z.string(),
    /** Incremented with each write: who folds holds the last one. */
    revision: z.int(),
    /** When it is folded. */
    dueAt: z.string(),
  }),
  key: ({ period }: { period: string }) => ({ PK: marksPartition, SK: period }),
});
export type PeriodMark = z.infer<typeof markEntity.schema>;

export const markSweep = 'RUN_METRICS';

/** What was marked may be written this long afterwards: as long as an invocation may last, and a margin (D67). */
const settledAfterMs = 20 * 60_000;
const longestInvocationMs = 16 * 60_000;
/** How long a fold may take before another worker begins it again. */
const leaseMs = 10 * 60_000;

/** Until when a run may rely on the mark that this process wrote, by tenant and hour. */
const trusted = new Map<string, number>();
const trustedMax = 10_000;

type MarkScope = Pick<Scope, 'table' | 'now'>;

/**
 * Call it before the end of a run is written: its hour is then folded after it. Writes once for each process, tenant and
 * hour. @param at When the run ends.
 */
export const hourMarks = /* @__PURE__ */ using(
  ['table:write'],
  ({ table, now }: MarkScope) =>
    async (at: string): Promise<void> => {
      const period = toHour(at);
      const key = `${table.tenant} ${period}`;
      const time = now().getTime();
      if ((trusted.get(key) ?? 0) >= time) return;
      const dueMs = Math.max(periodEnd(period), time) + settledAfterMs;
      // A mark that is there is due after the hour. That is too early for what ends late.
      const inTime = periodEnd(period) + settledAfterMs - longestInvocationMs;
      const write = time <= inTime ? insertMark(table, period, dueMs) : postponeMark(table, period, dueMs);
      await table.commit([write]).catch(onConditionFailed(undefined));
      if (trusted.size >= trustedMax) trusted.clear();
      trusted.set(key, time <= inTime ? inTime : dueMs - longestInvocationMs);
    },
);

const toDueKeys = (table: Scope['table'], dueMs: number) => {
  const dueAt = new Date(dueMs).toISOString();
  return { dueAt, index: sweepKeys(markSweep, table.tenant, dueAt) };
};

function insertMark(table: Scope['table'], period: string, dueMs: number): Write {
  const { dueAt, index } = toDueKeys(table, dueMs);
  const set = { period, revision: 1, dueAt };
  return table.writes.update(markEntity, { period }, { set, index }, absent);
}

/** Also for a mark that is not there. Who folds it now has to begin again. */
function postponeMark(table: Scope['table'], period: string, dueMs: number): Write {
  const { dueAt, index } = toDueKeys(table, dueMs);
  return table.writes.update(markEntity, { period }, { set: { period, dueAt }, add: { revision: 1 }, index });
}

/** The day of an hour that is folded: it is after its last hour. */
export const markDay = ({ table, now }: MarkScope, day: string): Write =>
  postponeMark(table, day, Math.max(periodEnd(day), now().getTime()) + hourMs / 2);

/** All hours and days that are not folded, in order. */
export async function listMarks({ table }: Pick<Scope, 'table'>): Promise<PeriodMark[]> {
  return decodeReadable(markEntity, await table.queryAll({ partition: marksPartition, consistent: true }));
}

/** Takes a mark that is due. @returns the mark to finish with; undefined if there is nothing to do, or another has it */
export async function acquireMark(
  { table, now }: MarkScope,
  period: string,
): Promise<PeriodMark | undefined> {
  const mark = await table.get(markEntity, { period }, { consistent: true });
  const time = now();
  if (!mark || mark.dueAt > time.toISOString()) return undefined;
  const { dueAt, index } = toDueKeys(table, time.getTime() + leaseMs);
  const changes = { set: { dueAt }, add: { revision: 1 }, index } as const;
  const write = table.writes.update(markEntity, { period }, changes, isUnchanged(mark));
  const taken = { ...mark, dueAt, revision: mark.revision + 1 };
  return table.commit([write]).then(() => taken, onConditionFailed(undefined));
}

/** An hour is named `2026-11-26T08`, a day `2026-11-26`, in UTC. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export const isDay = (period: string) => period.length === 10;
export const toDay = (period: string) => period.slice(0, 10);
export const periodStartMs = (period: string) => Date.parse(isDay(period) ? period : `${period}:00:00Z`);
export const periodEnd = (period: string) => periodStartMs(period) + (isDay(period) ? dayMs : hourMs);

/** The hours or the days from one to another, both included. */
export function listPeriods(from: string, to: string): string[] {
  const periods: string[] = [];
  for (let at = periodStartMs(from); at <= periodStartMs(to); at += isDay(from) ? dayMs : hourMs) {
    periods.push(new Date(at).toISOString().slice(0, from.length));
  }
  return periods;
}
