/**
 * How a schedule fires.
 *
 * EventBridge Scheduler sends a message to the queue `schedules` at the time; the worker `fire-schedule` claims that time: one
 * transaction moves `nextRunAt` on and records a firing, so that a message that comes twice starts nothing twice. The batch of
 * the firing has an id that derives from the time (`start-firing.ts`). What EventBridge Scheduler did not fire in time, the sweep
 * fires (`sweep-schedules.ts`, every minute): the times of an outage are one firing, since the next time is counted from now. It also continues firings whose process crashed, and repeats changes of schedules
 * that EventBridge Scheduler did not take (`shared/domain/schedules/wake-ups.ts`).
 * While the surface is paused or the last run goes on, a firing is recorded as skipped; a target that was deleted disables the
 * schedule; one for a single time ends with it. A clock that was set back does not fire a time again.
 */

import { deriveId } from '../../core/ids.ts';
import { type Firing, firingEntity } from '../../domain/schedules/firing.ts';
import { findNextRun } from '../../domain/schedules/next-time.ts';
import { type Schedule, scheduleEntity, toStoredSchedule } from '../../domain/schedules/schedule.ts';
import { computeRepairAt, computeSweepAt } from '../../domain/schedules/trigger.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  createFiring,
  firingStarter,
  type Refusal,
  type ScheduleState,
  scheduleStates,
  toLastFiring,
} from './start-firing.ts';

/** Clocks differ. */
const earlyMs = 1_000;

const createDeletedRefusal = (what: string): Refusal => ({
  state: 'failed',
  reason: `The ${what} was deleted. The schedule is disabled`,
});
const createSkippedRefusal = (reason: string): Refusal => ({ state: 'skipped', reason });

/** Only the process that moves `nextRunAt` on fires, so any number of messages, late ones too, make one batch. */
export const scheduleFirer = /* @__PURE__ */ using([scheduleStates, firingStarter], (scope: Scope) => {
  const { table, now } = scope;

  /** Moves the schedule on and records the firing. @returns undefined if it is not due, or does not run. */
  async function claim(id: string): Promise<{ schedule: Schedule; firing: Firing } | undefined> {
    const at = now();
    const stored = await table.get(scheduleEntity, { id }, { consistent: true });
    const schedule = stored && correctSetBack(stored, at);
    const { nextRunAt } = schedule ?? {};
    if (!schedule || !nextRunAt || Date.parse(nextRunAt) > at.getTime() + earlyMs) return;
    const state = await scheduleStates(scope)(schedule);
    const refusal = findRefusal(state);
    const firingId = deriveId('firing', Date.parse(nextRunAt), id, nextRunAt, ...setBacksIn(schedule));
    const firing = createFiring(schedule, firingId, { at, refusal });
    const due = new Date(Math.max(at.getTime(), Date.parse(nextRunAt)));
    const after = advanceSchedule(schedule, due, state.missing !== undefined);
    const put = (item: Schedule) =>
      table.writes.put(
        scheduleEntity,
        toStoredSchedule({ ...item, revision: schedule.revision + 1 }),
        isUnchanged(schedule),
      );
    const writes = [put({ ...after, ...toLastFiring(firing) }), table.writes.insert(firingEntity, firing)];
    try {
      await table.commit(writes);
    } catch (error) {
      const firedBefore = error instanceof ConditionFailed && !error.failed.includes(0);
      if (!firedBefore) throw error;
      // A change of the schedule set the same time again.
      await table.commit([put(after)]);
      return;
    }
    return refusal ? undefined : { schedule, firing };
  }

  return async (id: string, timeLeftMs: () => number): Promise<void> => {
    const claimed = await retryOnConflict(() => claim(id));
    if (claimed) await firingStarter(scope).startOrPostpone(claimed.schedule, claimed.firing, timeLeftMs);
  };
});

/** More than the clocks of processes differ by, and more than a wake-up may be late. */
const setBackMsMin = 60_000;

/**
 * A recurring schedule whose clock was set back since it last changed: it takes the times of the new clock, those of the last
 * minute included, because it is woken for one. Otherwise it would not fire until the old time comes again.
 */
function correctSetBack(schedule: Schedule, at: Date): Schedule {
  const { triggerType, updatedAt, setBacks = 0 } = schedule;
  if (triggerType !== 'recurring' || Date.parse(updatedAt) <= at.getTime() + setBackMsMin) return schedule;
  const nextRunAt = findNextRun(schedule, new Date(at.getTime() - setBackMsMin));
  return { ...schedule, nextRunAt, setBacks: setBacks + 1 };
}

const setBacksIn = ({ setBacks }: Schedule) => (setBacks === undefined ? [] : [setBacks]);

function findRefusal({ missing, isPaused, isRunning }: ScheduleState): Refusal | undefined {
  if (missing) return createDeletedRefusal(missing);
  if (isPaused) return createSkippedRefusal('The surface is paused');
  return isRunning ? createSkippedRefusal('The last run of the schedule is not over') : undefined;
}

/** A schedule after it fired. One whose flow or surface is gone, or that fires once, is disabled. */
function advanceSchedule(schedule: Schedule, due: Date, isOrphan: boolean): Schedule {
  const enabled = schedule.triggerType === 'recurring' && !isOrphan;
  const nextRunAt = findNextRun({ ...schedule, enabled }, due);
  const wasConfirmed = schedule.sweepAt === computeSweepAt(schedule);
  // Its entries in EventBridge Scheduler must go.
  const sweepAt = enabled
    ? wasConfirmed
      ? computeSweepAt({ nextRunAt })
      : schedule.sweepAt
    : computeRepairAt(due);
  return { ...schedule, enabled, nextRunAt, sweepAt, updatedAt: due.toISOString() };
}
