import * as z from 'zod';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { schedulePartition } from './schedule.ts';

export const firingDays = 90;

/** When the sweep continues a firing whose process may have crashed. */
const startingMsMax = 2 * 60_000;

/** One time that a schedule fired, by the clock or by a request. */
export const Firing = z.object({
  id: z.string(),
  scheduleId: z.string(),
  flowId: z.string(),
  /** `starting` until its batch exists. What follows is the state of the batch. */
  state: z.enum(['starting', 'started', 'skipped', 'failed']),
  /** Derived from the id of the firing, so that a repeated start makes no second batch. */
  batchId: z.string().nullable(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  /** Why it failed or was skipped. */
  error: z.string().nullable(),
  createdAt: z.string(),
  /** Expiry in Unix seconds. */
  ttl: z.int(),
});
export type Firing = z.infer<typeof Firing>;

export const firingsPartition = (scheduleId: string) => tenantPartition(`SCHEDULE#${scheduleId}#FIRINGS`);
export const firingSweep = 'FIRING';

export const firingEntity = defineEntity({
  type: 'firing',
  schema: Firing,
  key: ({ scheduleId, id }: { scheduleId: string; id: string }) => ({
    PK: schedulePartition(scheduleId),
    SK: `FIRING#${id}`,
  }),
  index: ({ scheduleId, id, state, createdAt }) => ({
    PK1: firingsPartition(scheduleId),
    SK1: id,
    ...(state === 'starting' &&
      sweepKeys(firingSweep, id, new Date(Date.parse(createdAt) + startingMsMax).toISOString())),
  }),
  summary: ['flowId', 'state', 'batchId', 'startedAt', 'completedAt', 'error', 'createdAt'],
});
