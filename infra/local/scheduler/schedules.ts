import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { readStored, writePrivately } from '../state-files.ts';

/** One schedule, with the members that the service uses. */
export const Schedule = z.object({
  Name: z.string().regex(/^[\w.-]{1,64}$/),
  GroupName: z.string().default('default'),
  ScheduleExpression: z
    .string()
    .regex(/^at\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\)$/, 'Only at(yyyy-mm-ddThh:mm:ss) here'),
  FlexibleTimeWindow: z.object({ Mode: z.literal('OFF') }),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Target: z.object({
    Arn: z.string().regex(/^arn:aws:sqs:/, 'Only SQS queues here'),
    RoleArn: z.string().min(1),
    Input: z.string().default('{}'),
  }),
});
export type Schedule = z.infer<typeof Schedule>;

const Kept = z.array(z.tuple([z.string(), Schedule]));

/** The maximum delay of a timer. */
const timerMsMax = 2 ** 31 - 1;

export type Schedules = ReturnType<typeof openSchedules>;

/**
 * One-time schedules, stored in a file. Overdue ones fire at the next start.
 * @param urlOf The URL of a queue, by its ARN.
 */
export function openSchedules(directory: string | undefined, urlOf: (arn: string) => string) {
  const file = directory && join(directory, 'schedules.json');
  const schedules = new Map((file && readStored(file, Kept)) || []);
  const timers = new Map<string, NodeJS.Timeout>();
  let sqs: SQSClient | undefined;

  const keyOf = ({ GroupName, Name }: Pick<Schedule, 'GroupName' | 'Name'>) => `${GroupName}/${Name}`;

  let saving: Promise<void> | undefined;

  /** Concurrent changes share one write, which waits for the disk. */
  function save(): Promise<void> {
    saving ??= setImmediate().then(() => {
      saving = undefined;
      if (file) writePrivately(file, JSON.stringify([...schedules]));
    });
    return saving;
  }

  async function fire(schedule: Schedule) {
    const { Arn, Input } = schedule.Target;
    try {
      sqs ??= new SQSClient({});
      await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(Arn), MessageBody: Input }));
    } catch (error) {
      log.warn('A schedule could not send its message; it is retried', { error, schedule: keyOf(schedule) });
      timers.set(
        keyOf(schedule),
        setTimeout(() => fire(schedule), 1_000),
      );
      return;
    }
    await remove(schedule).catch((error) =>
      log.warn('A finished schedule could not be removed from its file; it runs again at the next start', {
        error,
      }),
    );
  }

  function arm(schedule: Schedule) {
    const at = Date.parse(`${schedule.ScheduleExpression.slice(3, -1)}Z`);
    const inMs = Math.max(0, at - Date.now());
    const timer =
      inMs > timerMsMax
        ? setTimeout(() => arm(schedule), timerMsMax)
        : setTimeout(() => fire(schedule), inMs);
    timers.set(keyOf(schedule), timer);
  }

  async function remove(schedule: Pick<Schedule, 'GroupName' | 'Name'>): Promise<boolean> {
    clearTimeout(timers.get(keyOf(schedule)));
    timers.delete(keyOf(schedule));
    const existed = schedules.delete(keyOf(schedule));
    if (existed) await save();
    return existed;
  }

  return {
    /** Starts firing stored and new schedules. */
    start: () => schedules.forEach(arm),
    async stop(): Promise<void> {
      timers.forEach(clearTimeout);
      await saving?.catch(() => {});
    },
    get: (key: Pick<Schedule, 'GroupName' | 'Name'>) => schedules.get(keyOf(key)),
    remove,
    /** @returns false if the name is taken. */
    async create(schedule: Schedule): Promise<boolean> {
      const key = keyOf(schedule);
      if (schedules.has(key)) return false;
      schedules.set(key, schedule);
      await save().catch((error) => {
        schedules.delete(key);
        throw error;
      });
      arm(schedule);
      return true;
    },
  };
}
