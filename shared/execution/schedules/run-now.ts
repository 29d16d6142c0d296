import { conflict, forbidden, notFound } from '../../core/errors/errors.ts';
import { firingEntity } from '../../domain/schedules/firing.ts';
import { scheduleEntity, toStoredSchedule } from '../../domain/schedules/schedule.ts';
import { type SchedulePlace, scheduleStore } from '../../domain/schedules/schedule-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Batch } from '../batches/batch.ts';
import { createFiring, toLastFiring } from './firing-writes.ts';
import { scheduleStates } from './schedule-state.ts';
import { firingStarter } from './start-firing.ts';

/** Runs a schedule outside of its times, which stay as they are. */
export const scheduleRunner = /* @__PURE__ */ using(
  [scheduleStore, scheduleStates, firingStarter],
  (scope: Scope) => {
    const { table, now, newId } = scope;

    /** @throws 403 if the surface is paused, 404, 409 if the last run is not over */
    return async (place: SchedulePlace, id: string, timeLeftMs: () => number): Promise<Batch> => {
      const stored = await scheduleStore(scope).find(place, id);
      const firing = createFiring(stored, newId('firing'), { at: now(), refusal: undefined });
      const schedule = await table.change(
        scheduleEntity,
        { id },
        async (before) => {
          const { missing, isPaused, isRunning } = await scheduleStates(scope)(before);
          if (missing) throw notFound(missing === 'flow' ? 'Flow' : 'Surface');
          if (isPaused) throw forbidden('The surface is paused');
          if (isRunning)
            throw conflict('The last run of the schedule is not over; wait, or cancel its batch');
          return {
            put: toStoredSchedule({ ...before, ...toLastFiring(firing) }),
            alsoWrite: [table.writes.insert(firingEntity, firing)],
          };
        },
        { current: stored, consistent: true },
      );
      try {
        return await firingStarter(scope).start(schedule, firing, timeLeftMs);
      } catch (error) {
        // The caller learns of it, so that the sweep need not try again.
        await firingStarter(scope).fail(firing, 'The run could not be started. The request got the reason');
        throw error;
      }
    };
  },
);
