import { SQSClient } from '@aws-sdk/client-sqs';
import { withoutSdkLogger } from '../../../shared/platform/aws/without-sdk-logger.ts';
import { type EventSource, startPoller } from './poller.ts';
import type { LocalQueue } from './queues.ts';

/** Connects each queue, and each dead-letter queue with a consumer, to its worker. */
export function startPollers(queues: readonly LocalQueue[]) {
  const client = withoutSdkLogger(new SQSClient({}));
  const sources = queues.flatMap(({ name, spec, url, arn, deadLetter }): EventSource[] => {
    const { worker, deadLetterWorker, batchSize, timeoutSeconds } = spec;
    const common = {
      batchSize,
      timeoutSeconds,
      concurrency: name === 'runs' ? 10 : 2,
      visibilitySeconds: 10,
    };
    const main = { ...common, worker, url, arn };
    return deadLetterWorker ? [main, { ...common, worker: deadLetterWorker, ...deadLetter }] : [main];
  });
  const pollers = new AsyncDisposableStack();
  for (const source of sources) pollers.defer(startPoller(client, source).stop);
  return pollers;
}
