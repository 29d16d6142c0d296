import { omitUndefined } from '../../core/defined.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { type Firing, firingEntity, firingSweep } from '../../domain/schedules/firing.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import { using } from '../../platform/aws/uses.ts';
import { removeFromSweepIndex, sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Changes, exists } from '../../platform/data/writes.ts';
import type { Batch } from '../batches/batch.ts';
import { batchDefaults, batchStarter, selectRecords, toBatchReuse } from '../batches/start-batch.ts';

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
