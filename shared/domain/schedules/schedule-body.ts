import * as z from 'zod';
import { resourceId } from '../../core/ids.ts';
import { nameUpTo } from '../../core/name.ts';
import { toTimeZoneName } from '../../core/time.ts';
import { unique } from '../../platform/http/validation.ts';
import { RecordType } from '../records/record.ts';
import { RecordSelection } from '../records/record-filters.ts';
import { priorityOption } from '../runs/priority.ts';
import { reuseOptions } from '../runs/reuse-options.ts';
import { CronError, expressionCharactersMax, parseCron, toSchedulerExpressions } from './cron.ts';
import { scheduleTriggers } from './schedule.ts';

const recordIdsMax = 1_000;

/** EventBridge Scheduler knows no later year. */
const latestRun = '2199-12-31T00:00:00Z';

const Cron = z
  .string()
  .max(expressionCharactersMax)
  .superRefine((text, context) => {
    const message = findCronProblem(text);
    if (message) context.addIssue({ code: 'custom', params: { code: 'INVALID_FORMAT' }, message });
  })
  .meta({
    description:
      'Five fields (minute, hour, day of month, month, day of week), or a nickname such as @daily. If both days are set, either matches. L, W and # are not supported',
  });

function findCronProblem(text: string): string | undefined {
  try {
    const tooLong = toSchedulerExpressions(parseCron(text)).some(
      (expression) => expression.length > expressionCharactersMax,
    );
    return tooLong ? 'The expression lists too many values. Use ranges and steps' : undefined;
  } catch (error) {
    if (error instanceof CronError) return error.message;
    throw error;
  }
}

const TimeZone = z
  .string()
  .max(50)
  .transform((text, context) => {
    const zone = toTimeZoneName(text);
    if (zone !== undefined) return zone;
    context.addIssue({
      code: 'custom',
      params: { code: 'INVALID_VALUE' },
      message: 'Expected the name of a time zone, such as Europe/Berlin',
    });
    return z.NEVER;
  })
  .meta({ description: 'An IANA name, in which `cron` is evaluated. Default: UTC' });

const RunAt = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => at < new Date(latestRun), `Expected a time before ${latestRun}`)
  .transform((at) => at.toISOString());

export const ExecutionOptions = z.strictObject({
  chunkSize: z.int().min(1).max(250).optional().meta({
    description: 'How many records are enqueued at a time. Default: 5,000',
  }),
  progressFlushSize: z.int().min(1).max(100).optional().meta({
    description:
      'The most records whose progress may be outstanding. Progress is stored with each record, so any value holds',
  }),
  recordConcurrency: z.int().min(1).max(50).optional().meta({
    description: 'How many records run concurrently. Default: 10',
  }),
  timeoutMs: z.int().min(60_000).max(1_800_000).optional().meta({
    description:
      'How long the flow may run on one record. The time that a suspended run waits does not count. Default: no limit of its own',
  }),
  ...priorityOption,
  ...reuseOptions,
  modelOverride: nameUpTo(255).optional().meta({
    description: 'The model for all steps of the flow that name one, as they name it',
  }),
});

const Selection = RecordSelection.meta({ description: 'Runs on the records that match when it fires' });

const sent = {
  enabled: z.boolean().optional().meta({ description: 'Default: true' }),
  executionOptions: ExecutionOptions.optional(),
  recordIds: z
    .array(resourceId('record'))
    .max(recordIdsMax)
    .check(unique)
    .optional()
    .meta({ description: 'An empty list selects nothing, as if it were not sent' }),
};

const TriggerType = z.enum(scheduleTriggers).meta({
  description: '`one_time` needs `runAt`, in the future; `recurring` needs `cron`',
});

export const NewSchedule = z.strictObject({
  flowId: resourceId('flow'),
  triggerType: TriggerType,
  cron: Cron.optional(),
  runAt: RunAt.optional(),
  timezone: TimeZone.optional(),
  recordType: RecordType.optional(),
  recordFilter: Selection.optional(),
  ...sent,
});
export type NewSchedule = z.output<typeof NewSchedule>;

/** Members that are not sent stay unchanged. */
export const ScheduleChanges = z.strictObject({
  flowId: resourceId('flow').optional(),
  triggerType: TriggerType.optional(),
  cron: Cron.nullable().optional(),
  runAt: RunAt.nullable().optional(),
  timezone: TimeZone.nullable().optional(),
  recordType: RecordType.nullable().optional(),
  recordFilter: Selection.nullable().optional(),
  ...sent,
});
export type ScheduleChanges = z.output<typeof ScheduleChanges>;

/** The members of a schedule that a request leaves out. */
export const scheduleDefaults = {
  cron: null,
  runAt: null,
  timezone: null,
  enabled: true,
  recordIds: null,
  recordType: null,
  recordFilter: null,
  executionOptions: {},
};
