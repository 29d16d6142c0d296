import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { removeSdkLogger, shortTimeouts } from './sdk-clients.ts';

export interface WakeUp {
  name: string;
  /** `cron(…)` or `at(…)`. One that fires once is deleted after that. */
  expression: string;
  timezone: string;
  body: unknown;
}

const scheduler = loadOnce(() => removeSdkLogger(new SchedulerClient({ requestHandler: shortTimeouts })));

/** A message that is an hour late is of no use: the sweep has fired the schedule by then. */
const retryPolicy = { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 20 };

/** Creates the schedule, or replaces the one of this name. */
export async function putWakeUp(wakeUp: WakeUp): Promise<void> {
  const input = toScheduleInput(wakeUp);
  try {
    await scheduler().send(new CreateScheduleCommand(input));
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    await scheduler().send(new UpdateScheduleCommand(input));
  }
}

/** Deletes the schedule of this name, if there is one. */
export async function deleteWakeUp(name: string): Promise<void> {
  const command = new DeleteScheduleCommand({ Name: name, GroupName: requireEnv('SCHEDULES_GROUP') });
  await scheduler()
    .send(command)
    .catch((error) => {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    });
}

const toScheduleInput = ({ name, expression, timezone, body }: WakeUp): CreateScheduleCommandInput => ({
  Name: name,
  GroupName: requireEnv('SCHEDULES_GROUP'),
  ScheduleExpression: expression,
  ScheduleExpressionTimezone: timezone,
  FlexibleTimeWindow: { Mode: 'OFF' },
  ActionAfterCompletion: expression.startsWith('at(') ? 'DELETE' : 'NONE',
  Target: {
    Arn: requireEnv('SCHEDULES_QUEUE_ARN'),
    RoleArn: requireEnv('SCHEDULES_ROLE_ARN'),
    Input: JSON.stringify(body),
    RetryPolicy: retryPolicy,
    DeadLetterConfig: { Arn: requireEnv('SCHEDULES_DEAD_LETTERS_ARN') },
  },
});
