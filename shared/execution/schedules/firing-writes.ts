import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import { unixSeconds } from '../../core/time.ts';
import { type Firing, firingDays } from '../../domain/schedules/firing.ts';
import type { Schedule } from '../../domain/schedules/schedule.ts';

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
