import { flowEntity } from '../../domain/flows/flow.ts';
import { firingEntity } from '../../domain/schedules/firing.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';
import { surfaceEntity } from '../../domain/surfaces/surface/surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { batchEntity } from '../batches/batch.ts';
import { batchFinder } from '../batches/batch-store.ts';

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
