import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import type { Schedule } from '../../shared/domain/schedules/schedule.ts';
import { scheduleTriggers } from '../../shared/domain/schedules/schedule.ts';
import { ExecutionOptions } from '../../shared/domain/schedules/schedule-body.ts';
import type { NamedSchedule } from '../../shared/domain/schedules/schedule-store.ts';
import type { FiringState } from '../../shared/execution/schedules/firing-list.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';

export const ScheduleParams = SurfaceParams.extend({ scheduleId: resourceId('schedule') });

/** A schedule runs a flow: whoever writes it needs this permission too. */
export const runsFlows = ['FLOWS:EXECUTE'] as const;
export const alsoTakes = 'Also takes FLOWS:EXECUTE.';

/** Where the schedule of a request belongs. */
export const toSchedulePlace = ({ id, surfaceId }: z.output<typeof SurfaceParams>) => ({
  productId: id,
  surfaceId,
});

const fields = {
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  productSurfaceId: z.string(),
  name: z.string().nullable(),
  flowId: z.string(),
  agentId: z.string().nullable(),
  inputs: z.record(z.string(), z.unknown()).nullable(),
  triggerType: z.enum(scheduleTriggers),
  cron: z.string().nullable(),
  runAt: z.string().nullable(),
  timezone: z.string().nullable(),
  enabled: z.boolean(),
  nextRunAt: z.string().nullable().meta({ description: 'Null if it is disabled' }),
  lastRunAt: z.string().nullable(),
  recordIds: z.array(z.string()).nullable(),
  recordType: z.string().nullable(),
  recordFilter: z.record(z.string(), z.unknown()).nullable(),
  executionOptions: ExecutionOptions,
  createdAt: z.string(),
  updatedAt: z.string(),
};

const scheduleExample = {
  id: 'schedule_01k9m4v7d3x8qz5w2r6t0y1hbn',
  userId: 'user_1',
  organizationId: null,
  productSurfaceId: 'surface_01k9m4v7d3x8qz5w2r6t0y1hbn',
  name: null,
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  agentId: null,
  inputs: null,
  triggerType: 'recurring',
  cron: '30 7 * * MON-FRI',
  runAt: null,
  timezone: 'Europe/Berlin',
  enabled: true,
  nextRunAt: '2026-11-23T06:30:00.000Z',
  lastRunAt: null,
  recordIds: null,
  recordType: 'airport',
  recordFilter: null,
  executionOptions: { recordConcurrency: 5 },
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
};

export const ScheduleResponse = z.object(fields).meta({ id: 'Schedule', examples: [scheduleExample] });

const named = { ...fields, flowName: z.string().nullable() };
const namedExample = { ...scheduleExample, flowName: 'Describe an airport' };

export const NamedScheduleResponse = z.object(named).meta({ id: 'NamedSchedule', examples: [namedExample] });

const run = {
  id: z.string(),
  status: z.enum(['scheduled', 'running', 'completed', 'failed', 'cancelled', 'skipped']),
  batchExecutionId: z.string().nullable(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  error: z.string().nullable().meta({ description: 'Why it failed or was skipped' }),
  createdAt: z.string(),
};

const runExample = {
  id: 'firing_01k9m4v7d3x8qz5w2r6t0y1hbn',
  status: 'completed',
  batchExecutionId: 'batch_01k9m4v7d3x8qz5w2r6t0y1hbn',
  startedAt: '2026-11-23T06:30:01.000Z',
  completedAt: '2026-11-23T06:31:00.000Z',
  error: null,
  createdAt: '2026-11-23T06:30:01.000Z',
};

export const ScheduleDetails = z
  .object({ ...named, recentRuns: z.array(z.object(run)) })
  .meta({ id: 'ScheduleDetails', examples: [{ ...namedExample, recentRuns: [runExample] }] });

const Count = z.int().nullable();

export const ScheduleRun = z
  .object({
    ...run,
    scheduleId: z.string(),
    flowId: z.string(),
    agentId: z.string().nullable(),
    agentExecutionId: z.string().nullable(),
    totalRecords: Count,
    processedRecords: Count,
    failedRecords: Count,
    totalCostUsd: z.number().nullable().meta({ description: 'For all model calls' }),
  })
  .meta({
    id: 'ScheduleRun',
    examples: [
      {
        ...runExample,
        scheduleId: scheduleExample.id,
        flowId: scheduleExample.flowId,
        agentId: null,
        agentExecutionId: null,
        totalRecords: 12,
        processedRecords: 12,
        failedRecords: 0,
        totalCostUsd: 0.0021,
      },
    ],
  });

export const toScheduleResponse = (schedule: Schedule) => ({
  ...schedule,
  productSurfaceId: schedule.surfaceId,
  recordFilter: schedule.recordFilter && { ...schedule.recordFilter },
  name: null,
  agentId: null,
  inputs: null,
});

export const toNamedSchedule = (schedule: NamedSchedule) => ({
  ...toScheduleResponse(schedule),
  flowName: schedule.flowName,
});

export const toScheduleRun = (firing: FiringState) => ({ ...firing, agentId: null, agentExecutionId: null });
