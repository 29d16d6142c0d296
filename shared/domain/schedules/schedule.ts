import * as z from 'zod';
import type { RecordFilter } from '../../core/filters/filter.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Priority } from '../runs/priority.ts';
import type { ReuseOptions } from '../runs/reuse-options.ts';

export const scheduleTriggers = ['one_time', 'recurring'] as const;

export interface ScheduleRecordFilter {
  type: string;
  where?: RecordFilter | undefined;
}

export interface StoredExecutionOptions extends ReuseOptions {
  priority?: Priority | undefined;
  chunkSize?: number | undefined;
  progressFlushSize?: number | undefined;
  recordConcurrency?: number | undefined;
  timeoutMs?: number | undefined;
  modelOverride?: string | undefined;
}

/** Runs a flow by the clock, on a surface. The item decides when; EventBridge Scheduler only wakes the service. */
export const Schedule = z.object({
  id: z.string(),
  productId: z.string(),
  surfaceId: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** Of the credential that created it. It decides which version of the flow runs. */
  environment: z.enum(['production', 'test']),
  flowId: z.string(),
  triggerType: z.enum(scheduleTriggers),
  cron: z.string().nullable(),
  runAt: z.string().nullable(),
  timezone: z.string().nullable(),
  enabled: z.boolean(),
  /** When it fires next; null if it is disabled. */
  nextRunAt: z.string().nullable(),
  lastRunAt: z.string().nullable(),
  /** How often the clock was set back since the creation: its times come again, and fire again. */
  setBacks: z.int().optional(),
  /** The firing that ran last or runs, and its batch. Skipped ones do not count. */
  lastFiring: z.object({ id: z.string(), batchId: z.string() }).nullable(),
  /** At most one of the three selectors is set. */
  recordIds: z.array(z.string()).nullable(),
  recordType: z.string().nullable(),
  recordFilter: jsonText<ScheduleRecordFilter | null>(),
  executionOptions: jsonText<StoredExecutionOptions>(),
  /** When the sweep looks at it: soon if EventBridge Scheduler may not know the last change, else some time after it is due. */
  sweepAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

export const toStoredSchedule = (schedule: Schedule): z.input<typeof Schedule> => ({
  ...schedule,
  recordFilter: JSON.stringify(schedule.recordFilter),
  executionOptions: JSON.stringify(schedule.executionOptions),
});

export const schedulePartition = (id: string) => tenantPartition(`SCHEDULE#${id}`);
export const schedulesPartition = (surfaceId: string) => tenantPartition(`SURFACE#${surfaceId}#SCHEDULES`);

export const scheduleSweep = 'SCHEDULE';

export const scheduleEntity = defineEntity({
  type: 'schedule',
  noun: 'schedule',
  schema: Schedule,
  key: ({ id }: { id: string }) => ({ PK: schedulePartition(id), SK: 'SCHEDULE' }),
  index: ({ id, surfaceId, sweepAt }) => ({
    PK1: schedulesPartition(surfaceId),
    SK1: id,
    ...(sweepAt && sweepKeys(scheduleSweep, id, sweepAt)),
  }),
  summary: ['flowId'],
});

/** How many schedules a surface has. Written with each creation and deletion, so that the limit holds for parallel ones. */
export const scheduleCountEntity = defineEntity({
  type: 'scheduleCount',
  schema: z.object({ surfaceId: z.string().optional(), count: z.int().default(0) }),
  key: ({ surfaceId }: { surfaceId: string }) => ({ PK: schedulesPartition(surfaceId), SK: 'COUNT' }),
});
