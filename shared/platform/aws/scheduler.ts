import { ConflictException, CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { removeSdkLogger } from './sdk-clients.ts';

export interface ScheduledMessage {
  /** The name of the schedule. A second schedule with this name has no effect. */
  name: string;
  at: Date;
  /** The environment variable that holds the queue's ARN. */
  queueEnv: string;
  body: unknown;
}

const scheduler = loadOnce(() => removeSdkLogger(new SchedulerClient({})));

/** Schedules one message to a queue with EventBridge Scheduler. Its time has no fraction of a second. */
export async function scheduleMessage({ name, at, queueEnv, body }: ScheduledMessage): Promise<void> {
  const command = new CreateScheduleCommand({
    Name: name,
    GroupName: requireEnv('SCHEDULE_GROUP'),
    ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: requireEnv(queueEnv),
      RoleArn: requireEnv('SCHEDULER_ROLE_ARN'),
      Input: JSON.stringify(body),
    },
  });
  try {
    await scheduler().send(command);
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}
