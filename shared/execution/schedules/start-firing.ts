/**
 * Starts the batch of a schedule's firing: what a firing is, whether it may run, and what happens if it cannot start.
 * A firing is recorded first, with the id of its batch, and the batch is started once by that id, so the sweep can
 * repeat an interrupted start. A start that fails for now is postponed for up to a day; one that can never succeed
 * makes the firing `failed`.
 * `scheduleStates` says whether the surface or the flow is gone or paused, or the last batch still runs.
 * `scheduleRunner` runs a schedule outside of its times and reports a failed start to its caller.
 * `functions/schedules/run-now.ts` and `fire-schedule.ts` (at its times) are the callers, and the sweep (`sweep-schedules.ts`).
 */
import { omitUndefined } from '../../core/defined.ts';
import { conflict, forbidden, notFound, ServiceError } from '../../core/errors/errors.ts';
import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { flowEntity } from '../../domain/flows/flow.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { type Firing, firingDays, firingEntity, firingSweep } from '../../domain/schedules/firing.ts';
import { type Schedule, scheduleEntity, toStoredSchedule } from '../../domain/schedules/schedule.ts';
import { type SchedulePlace, scheduleStore } from '../../domain/schedules/schedule-store.ts';
import { surfaceEntity } from '../../domain/surfaces/surface/surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { removeFromSweepIndex, sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Changes, exists } from '../../platform/data/writes.ts';
import { type Batch, batchDefaults, batchEntity } from '../batches/batch.ts';
import { batchFinder } from '../batches/batch-store.ts';
import { batchStarter, selectRecords, toBatchReuse } from '../batches/start-batch.ts';

const postponedMs = 60_000;
const giveUpMs = 86_400_000;

export const firingStarter = /* @__PURE__ */ using([batchStarter], (scope: Scope) => {
  const { table, now } = scope;
  const starter = batchStarter(scope);

  async function update({ scheduleId, id }: Firing, changes: Changes<typeof firingEntity>): Promise<void> {
    const write = table.writes.update(firingEntity, { scheduleId, id }, changes, exists);
    // Removed if the schedule was deleted meanwhile.
    await table.commit([write]).catch(onConditionFailed(undefined));
  }

  /** Creates the batch of a firing, unless it exists. @throws what prevents it; the firing is then still `starting` */
  async function start(schedule: Schedule, firing: Firing, timeLeftMs: () => number): Promise<Batch> {
    const { recordConcurrency, chunkSize, timeoutMs, modelOverride, priority } = schedule.executionOptions;
    const stated = omitUndefined({ recordConcurrency, chunkSize, timeoutMs, modelOverride, priority });
    const batch = await starter.startOnce(
      firing.flowId,
      {
        id: firing.batchId ?? '',
        records: await selectRecords(scope, schedule, timeLeftMs),
        origin: toOrigin(schedule),
        options: { ...batchDefaults, ...stated, ...toBatchReuse(schedule.executionOptions) },
      },
      schedule,
    );
    await update(firing, { set: { state: 'started' }, ...removeFromSweepIndex });
    return batch;
  }

  const fail = (firing: Firing, error: string): Promise<void> =>
    update(firing, {
      set: { state: 'failed', error, completedAt: now().toISOString() },
      ...removeFromSweepIndex,
    });

  return {
    start,
    fail,

    /** Starts a firing that no caller waits for. If that is impossible for now, the sweep tries again for a day. */
    async startOrPostpone(schedule: Schedule, firing: Firing, timeLeftMs: () => number): Promise<void> {
      try {
        await start(schedule, firing, timeLeftMs);
      } catch (error) {
        const isFinal = error instanceof ServiceError && error.code !== 'RATE_LIMITED';
        const isLate = now().getTime() - Date.parse(firing.createdAt) > giveUpMs;
        if (isFinal || isLate) return fail(firing, getMessage(error));
        const ids = { scheduleId: schedule.id, firingId: firing.id };
        log.warn('The batch of a schedule could not be started; the sweep tries again', { error, ...ids });
        const nextAt = new Date(now().getTime() + postponedMs).toISOString();
        await update(firing, { index: sweepKeys(firingSweep, firing.id, nextAt) });
      }
    },
  };
});

const toOrigin = ({ id: scheduleId, productId, surfaceId }: Schedule): RunOrigin => ({
  trigger: { type: 'schedule', productId, surfaceId, scheduleId },
});

const getMessage = (error: unknown) =>
  error instanceof ServiceError
    ? ([error.message, ...error.details.map(({ message }) => message)].at(-1) ?? error.message)
    : 'The batch could not be started for a day because of an internal error';

export interface ScheduleState {
  /** What was deleted, if anything. */
  missing: 'surface' | 'flow' | undefined;
  isPaused: boolean;
  isRunning: boolean;
}

export const scheduleStates = /* @__PURE__ */ using([batchFinder], (scope: Scope) => {
  const { table } = scope;
  return async ({ id, productId, surfaceId, flowId, lastFiring }: Schedule): Promise<ScheduleState> => {
    const [surface, flow, firing, batch] = await table.getMany(
      [
        surfaceEntity.key({ productId, id: surfaceId }),
        flowEntity.key({ id: flowId }),
        // Placeholders that match nothing, if it never ran.
        firingEntity.key({ scheduleId: id, id: lastFiring?.id ?? '-' }),
        batchEntity.key({ id: lastFiring?.batchId ?? '-' }),
      ],
      { consistent: true },
    );
    const progress = batch && (await batchFinder(scope).settleBatch(decode(batchEntity, batch)));
    const isStarting = !batch && firing && decode(firingEntity, firing).state === 'starting';
    return {
      missing: surface ? (flow ? undefined : 'flow') : 'surface',
      isPaused: surface !== undefined && decode(surfaceEntity, surface).status === 'paused',
      isRunning: isStarting || progress?.status === 'scheduled' || progress?.status === 'running',
    };
  };
});

export interface Refusal {
  state: 'skipped' | 'failed';
  reason: string;
}

export function createFiring(
  { id: scheduleId, flowId }: Pick<Schedule, 'id' | 'flowId'>,
  id: string,
  { at, refusal }: { at: Date; refusal: Refusal | undefined },
): Firing {
  const createdAt = at.toISOString();
  return {
    id,
    scheduleId,
    flowId,
    createdAt,
    state: refusal?.state ?? 'starting',
    batchId: refusal ? null : deriveId('batch', getIdTimeMs(id), id),
    startedAt: refusal ? null : createdAt,
    completedAt: refusal ? createdAt : null,
    error: refusal?.reason ?? null,
    ttl: unixSeconds(at) + firingDays * 86_400,
  };
}

/** What a schedule remembers of a firing that runs. */
export const toLastFiring = ({ id, batchId, createdAt }: Firing): Partial<Schedule> =>
  batchId === null ? {} : { lastRunAt: createdAt, lastFiring: { id, batchId } };

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
