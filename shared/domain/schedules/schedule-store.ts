/**
 * The schedules of a surface, and their counterparts in EventBridge Scheduler.
 *
 * The table decides: a change is stored first, with the time of the next run, and then EventBridge Scheduler is told
 * (`wake-ups.ts`); if that fails, or the process crashes, the sweep tells it a minute later. The number of schedules of a
 * surface is counted in an item of its own, in the transaction that creates or removes one. What a wake-up starts is in
 * `shared/execution/schedules`.
 */

import { omitUndefined } from '../../core/defined.ts';
import { conflict, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertFits } from '../content-size.ts';
import { recordStore } from '../records/record-store.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { findNextRun } from './next-time.ts';
import { findSchedule, type NamedSchedule, nameSchedules, readSchedules } from './read-schedules.ts';
import { type Schedule, scheduleCountEntity, scheduleEntity, toStoredSchedule } from './schedule.ts';
import type { NewSchedule, ScheduleChanges } from './schedule-body.ts';
import { scheduleDefaults } from './schedule-defaults.ts';
import { assertScheduleTargets, assertTakesSchedules, type SchedulePlace } from './schedule-place.ts';
import { assertConsistent, computeRepairAt, isRetimed, mergeSchedule } from './trigger.ts';
import { wakeUps } from './wake-ups.ts';

export const schedulesMax = 100;
/** So that all schedules of a surface fit a response. */
const scheduleBytesMax = 50_000;
export const scheduleStore = /* @__PURE__ */ using(
  ['table:write', 'table:delete', wakeUps, recordStore, cleanupQueue],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const find = (place: SchedulePlace, id: string) => findSchedule(scope, place, id);

    /** Applies changes to the stored schedule, and tells EventBridge Scheduler. */
    async function change(place: SchedulePlace, id: string, changes: ScheduleChanges): Promise<Schedule> {
      const at = now();
      const current = await find(place, id);
      // One that is enabled must be able to run.
      await assertScheduleTargets(
        scope,
        changes.enabled ? { flowId: current.flowId, ...omitUndefined(changes) } : changes,
      );
      let retimed = false;
      const decide = (before: Schedule): Modification<typeof scheduleEntity> => {
        const edited = mergeSchedule(before, changes);
        retimed = isRetimed(before, edited);
        assertConsistent(edited, retimed && edited.enabled ? at : undefined);
        const nextRunAt = retimed ? findNextRun(edited, at) : before.nextRunAt;
        const after = { ...before, ...edited, nextRunAt, updatedAt: at.toISOString() };
        return { put: toItem(retimed ? { ...after, sweepAt: computeRepairAt(at) } : after) };
      };
      const schedule = await table.change(scheduleEntity, { id }, decide, { current, consistent: true });
      if (retimed) await wakeUps(scope).follow(id);
      return schedule;
    }

    return {
      find,
      change,
      /** Oldest first. @throws 404; 400 if the surface is of another type. */
      list: (place: SchedulePlace) => readSchedules(scope, place),
      async nameSchedule(schedule: Schedule): Promise<NamedSchedule> {
        const [named] = await nameSchedules(scope, [schedule]);
        return named ?? { ...schedule, flowName: null };
      },

      /** @throws 400, 404; 409 if the surface has as many schedules as it can have. */
      async create(place: SchedulePlace, principal: Principal, input: NewSchedule): Promise<Schedule> {
        const at = now();
        const { userId, organizationId, environment } = principal;
        const { flowId, triggerType } = input;
        const edited = mergeSchedule({ ...scheduleDefaults, flowId, triggerType }, input);
        assertConsistent(edited, at);
        await assertTakesSchedules(scope, place);
        await assertScheduleTargets(scope, edited);
        const id = newId('schedule');
        const createdAt = getIdCreatedAt(id);
        const schedule: Schedule = {
          id,
          ...place,
          revision: 1,
          userId,
          organizationId,
          environment,
          ...edited,
          nextRunAt: findNextRun(edited, at),
          lastRunAt: null,
          lastFiring: null,
          sweepAt: computeRepairAt(at),
          createdAt,
          updatedAt: createdAt,
        };
        await insert(schedule);
        await wakeUps(scope).follow(schedule.id);
        return schedule;
      },

      /** It fires no more; a clean-up of its id removes its history. @throws 404 */
      async remove(place: SchedulePlace, id: string): Promise<void> {
        await find(place, id);
        const decideRemoval = (): Modification<typeof scheduleEntity> => ({
          remove: true,
          alsoWrite: [
            table.writes.update(scheduleCountEntity, place, { add: { count: -1 } }),
            tombstoneWrite(scope, id),
          ],
        });
        await table.change(scheduleEntity, { id }, decideRemoval);
        await cleanupQueue(scope).enqueue([id]);
      },
    };

    async function insert(schedule: Schedule): Promise<void> {
      const { productId, surfaceId } = schedule;
      const hasRoom = {
        expression: 'attribute_not_exists(#count) OR #count < :most',
        values: { most: schedulesMax },
      };
      try {
        await table.commit([
          table.writes.insert(scheduleEntity, toItem(schedule)),
          table.writes.update(scheduleCountEntity, { surfaceId }, { add: { count: 1 } }, hasRoom),
          table.writes.check(surfaceEntity, { productId, id: surfaceId }, exists),
        ]);
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        throw error.failed.includes(2) ? notFound('Surface') : createTooManyError();
      }
    }
  },
);

/** @throws 400 if the schedule does not fit an item of the table. */
function toItem(schedule: Schedule) {
  const item = toStoredSchedule(schedule);
  const recordIds = JSON.stringify(schedule.recordIds);
  assertFits('a schedule', { recordIds, recordFilter: item.recordFilter }, scheduleBytesMax);
  return item;
}

const createTooManyError = () =>
  conflict({
    code: 'LIMIT_REACHED',
    message: `A surface has at most ${schedulesMax} schedules. Delete those that are no longer used`,
  });
