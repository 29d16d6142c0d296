/**
 * Keeps EventBridge Scheduler in step with the schedules of the table.
 *
 * `follow` sends what follows from the stored item, and repeats that until the item did not change meanwhile; so of two
 * changes the later one wins, whatever the order of the requests. Only then is the sweep of the schedule postponed: a crash or
 * a failure leaves it early, and `repair` sends again. A schedule that EventBridge Scheduler does not take is fired by the
 * sweep.
 */

import { log } from '../../core/log.ts';
import { toLocal } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type CronFields, parseCron, toSchedulerExpressions } from './cron.ts';
import { type Schedule, scheduleEntity, scheduleSweep } from './schedule.ts';
import { computeSweepAt } from './trigger.ts';

const retryMs = 5 * 60_000;
/** Each round sends the state of a later change. */
const roundsMax = 5;

/** Both names of a schedule in EventBridge Scheduler: it needs the second one if both kinds of days are set. */
const toNames = (id: string) => [`${id}-1`, `${id}-2`] as const;

/** Keeps EventBridge Scheduler in step with the schedules of the table. */
export const wakeUps = /* @__PURE__ */ using(['table:write', 'schedules'], (scope: Scope) => {
  const { table, now } = scope;

  /** Sends what follows from the current item until it does not change meanwhile. @throws errors of EventBridge Scheduler */
  async function send(id: string): Promise<void> {
    for (let round = 0; round < roundsMax; round++) {
      const schedule = await table.get(scheduleEntity, { id }, { consistent: true });
      await replace(scope, id, schedule);
      if (!schedule || (await confirm(schedule, computeSweepAt(schedule)))) return;
    }
  }

  /** Plans the next look of the sweep. @returns false if the schedule was changed meanwhile. */
  async function confirm(schedule: Schedule, sweepAt: string | null): Promise<boolean> {
    if (schedule.sweepAt === sweepAt) return true;
    const { id } = schedule;
    const entry = sweepAt
      ? { index: sweepKeys(scheduleSweep, id, sweepAt) }
      : ({ removeFromIndex: 2 } as const);
    const changes = { set: { sweepAt }, ...entry };
    try {
      await table.commit([table.writes.update(scheduleEntity, { id }, changes, isUnchanged(schedule))]);
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  }

  return {
    /** Call after a change is stored. A failure does not concern the caller: the sweep repeats this. */
    async follow(id: string): Promise<void> {
      await send(id).catch((error) =>
        log.warn('EventBridge Scheduler does not know a change yet; the sweep repeats it', {
          error,
          scheduleId: id,
        }),
      );
    },

    /** For the sweep: after a failure, it tries again later. */
    async repair(id: string): Promise<void> {
      try {
        await send(id);
      } catch (error) {
        log.warn('EventBridge Scheduler does not take a schedule; the sweep fires it', {
          error,
          scheduleId: id,
        });
        const schedule = await table.get(scheduleEntity, { id }, { consistent: true });
        if (!schedule) return;
        const retryAt = new Date(now().getTime() + retryMs).toISOString();
        const regular = computeSweepAt(schedule);
        const isSooner = regular !== null && regular > now().toISOString() && regular < retryAt;
        await confirm(schedule, isSooner ? regular : retryAt);
      }
    },

    remove: (id: string): Promise<void> => replace(scope, id, undefined),
  };
});

async function replace({ table }: Scope, id: string, schedule: Schedule | undefined): Promise<void> {
  // Loaded at the first change: most requests read.
  const { deleteWakeUp, putWakeUp } = await import('../../platform/aws/recurring-schedules.ts');
  const expressions = schedule ? toExpressions(schedule) : [];
  const body = { tenant: table.tenant, scheduleId: id };
  await Promise.all(
    toNames(id).map((name, index) => {
      const expression = expressions[index];
      if (!expression) return deleteWakeUp(name);
      return putWakeUp({ name, expression, timezone: toTimezone(schedule), body });
    }),
  );
}

function toTimezone(schedule: Schedule | undefined): string {
  if (schedule?.triggerType !== 'recurring' || !schedule.timezone) return 'UTC';
  const { cron, timezone } = schedule;
  return cron !== null && isSameByUtc(parseCron(cron), timezone) ? 'UTC' : timezone;
}

/** An hour that comes twice wakes once in a zone. A job of every hour and day wakes at the same times by UTC (D206). */
function isSameByUtc({ hours, months, daysOfMonth, daysOfWeek }: CronFields, zone: string): boolean {
  const isOfEachHour = hours.length === 24 && months.length === 12 && !daysOfMonth && !daysOfWeek;
  return isOfEachHour && [0, 6].every((month) => toOffset(month, zone) % 3_600_000 === 0);
}

function toOffset(month: number, zone: string): number {
  const at = Date.UTC(new Date().getUTCFullYear(), month, 1);
  return toLocal(at, zone) - at;
}

/** A schedule that fires once does so at the next whole second. */
function toExpressions({ nextRunAt, triggerType, cron }: Schedule): string[] {
  if (nextRunAt === null) return [];
  if (triggerType === 'recurring') return cron === null ? [] : toSchedulerExpressions(parseCron(cron));
  const at = new Date(Math.ceil(Date.parse(nextRunAt) / 1_000) * 1_000);
  return [`at(${at.toISOString().slice(0, 19)})`];
}
