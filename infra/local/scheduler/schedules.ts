import { setImmediate } from 'node:timers/promises';
import { log } from '../../../shared/core/log.ts';
import { systemClocks, watchClock } from '../runtime/clock-jumps.ts';
import { firesOnce, parseExpression } from './expressions.ts';
import { openKeptSchedules } from './kept-schedules.ts';
import { type AwsSchedule, type ScheduleKey, scheduleKey } from './schedule.ts';
import { openSender } from './sender.ts';

/** The maximum delay of a timer. */
const timerMsMax = 2 ** 31 - 1;

const correctionMsMax = 60_000;

export type ScheduleTable = ReturnType<typeof openSchedules>;

/**
 * Schedules, stored in a database. Overdue ones that fire once fire at the next start; a recurring one goes on with its next
 * time.
 * @param urlOf The URL of a queue, by its ARN.
 */
export function openSchedules(
  directory: string | undefined,
  urlOf: (arn: string) => string,
  clocks = systemClocks,
) {
  const { wall } = clocks;
  let watch: Disposable | undefined;
  const kept = directory === undefined ? undefined : openKeptSchedules(directory);
  const schedules = kept?.read() ?? new Map<string, AwsSchedule>();
  const timers = new Map<string, { timer: NodeJS.Timeout; due: number }>();
  const sender = openSender(urlOf);

  let saving: Promise<void> | undefined;
  let changed = new Set<string>();

  /** Concurrent changes share one write, which waits for the disk. */
  function save(key: ScheduleKey): Promise<void> {
    changed.add(scheduleKey(key));
    saving ??= setImmediate().then(() => {
      const changes = new Map([...changed].map((name) => [name, schedules.get(name)]));
      saving = undefined;
      changed = new Set();
      kept?.write(changes);
    });
    return saving;
  }

  async function fire(schedule: AwsSchedule, dueMs: number) {
    timers.delete(scheduleKey(schedule));
    const sent = sender.send(schedule);
    if (!firesOnce(schedule.ScheduleExpression)) {
      // What was missed while the machine slept is not made up for, as after a restart.
      arm(schedule, Math.max(dueMs, wall()));
      return;
    }
    await sent;
    // AWS keeps a finished schedule otherwise.
    if (schedule.ActionAfterCompletion === 'NONE' || schedules.get(scheduleKey(schedule)) !== schedule)
      return;
    await remove(schedule).catch((error) =>
      log.warn('A finished schedule could not be removed from the disk; it runs again at the next start', {
        error,
      }),
    );
  }

  /** @param after Unix ms. */
  function arm(schedule: AwsSchedule, after: number) {
    const due = parseExpression(schedule.ScheduleExpression)(after, schedule.ScheduleExpressionTimezone);
    if (due === undefined) return;
    wait(schedule, due);
  }

  function wait(schedule: AwsSchedule, due: number) {
    const inMs = Math.max(0, due - wall());
    const timer =
      inMs > timerMsMax
        ? setTimeout(() => wait(schedule, due), timerMsMax)
        : setTimeout(() => fire(schedule, due), inMs);
    timers.set(scheduleKey(schedule), { timer, due });
  }

  function disarm(key: ScheduleKey) {
    clearTimeout(timers.get(scheduleKey(key))?.timer);
    timers.delete(scheduleKey(key));
  }

  async function remove(key: ScheduleKey): Promise<boolean> {
    disarm(key);
    const existed = schedules.delete(scheduleKey(key));
    if (existed) await save(key);
    return existed;
  }

  /** One in the past fires at once, as on AWS. */
  const armed = (schedule: AwsSchedule) => arm(schedule, firesOnce(schedule.ScheduleExpression) ? 0 : wall());

  /**
   * Compares all due times with a clock that was set. What became due fires. Set back, a recurring one takes its next
   * time of the new clock; one that fires once still waits no longer than it would have.
   */
  function rearm(byMs: number) {
    for (const [key, { timer, due }] of [...timers]) {
      const schedule = schedules.get(key);
      const isOnce = !schedule || firesOnce(schedule.ScheduleExpression);
      if (!schedule || (byMs < 0 && isOnce)) continue;
      clearTimeout(timer);
      // After a small correction, a time that has fired does not come again.
      if (byMs < -correctionMsMax) arm(schedule, wall());
      else wait(schedule, due);
    }
  }

  async function put(schedule: AwsSchedule): Promise<void> {
    const key = scheduleKey(schedule);
    const before = schedules.get(key);
    schedules.set(key, schedule);
    await save(schedule).catch((error) => {
      if (before) schedules.set(key, before);
      else schedules.delete(key);
      throw error;
    });
    disarm(schedule);
    armed(schedule);
  }

  return {
    /** Starts firing stored and new schedules. */
    start: () => {
      watch ??= watchClock(rearm, clocks);
      schedules.forEach(armed);
    },
    async stop(): Promise<void> {
      watch?.[Symbol.dispose]();
      for (const { timer } of timers.values()) clearTimeout(timer);
      sender.stop();
      await saving?.catch(() => {});
    },
    /** Call it when nothing is created any more. */
    close: () => kept?.close(),
    get: (key: ScheduleKey) => schedules.get(scheduleKey(key)),
    remove,
    /** @returns false if the name is taken. */
    async create(schedule: AwsSchedule): Promise<boolean> {
      if (schedules.has(scheduleKey(schedule))) return false;
      await put(schedule);
      return true;
    },
    /** Replaces all members. @returns false if there is no such schedule. */
    async update(schedule: AwsSchedule): Promise<boolean> {
      if (!schedules.has(scheduleKey(schedule))) return false;
      await put(schedule);
      return true;
    },
  };
}
