import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { log } from '../../../shared/core/log.ts';
import { isStorageFull } from '../../../shared/platform/aws/storage-full.ts';
import { type AwsSchedule, scheduleKey } from './schedule.ts';

const retryMs = 1_000;

/** Sends the messages of schedules, within their retry policies. A message that expires goes to the dead-letter queue. */
export function openSender(urlOf: (arn: string) => string) {
  const stopping = new AbortController();
  let sqs: SQSClient | undefined;

  function sendTo(arn: string, { Target }: AwsSchedule) {
    sqs ??= new SQSClient({});
    return sqs.send(new SendMessageCommand({ QueueUrl: urlOf(arn), MessageBody: Target.Input }));
  }

  async function send(schedule: AwsSchedule): Promise<void> {
    const { Arn, RetryPolicy, DeadLetterConfig } = schedule.Target;
    const expiresAt = performance.now() + RetryPolicy.MaximumEventAgeInSeconds * 1_000;
    for (let attempts = 0; !stopping.signal.aborted; ) {
      try {
        await sendTo(Arn, schedule);
        return;
      } catch (error) {
        log.warn('A schedule could not send its message', { error, schedule: scheduleKey(schedule) });
        // A full disk takes neither this message nor the one for the dead-letter queue.
        if (!isStorageFull(error)) attempts++;
        if (attempts > RetryPolicy.MaximumRetryAttempts || performance.now() > expiresAt) break;
        await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    if (stopping.signal.aborted || !DeadLetterConfig) return;
    await sendTo(DeadLetterConfig.Arn, schedule).catch((error) =>
      log.error('A message of a schedule is lost', { error, schedule: scheduleKey(schedule) }),
    );
  }

  return { send, stop: () => stopping.abort() };
}
