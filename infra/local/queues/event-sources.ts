import { SQSClient } from '@aws-sdk/client-sqs';
import { removeSdkLogger } from '../../../shared/platform/aws/sdk-clients.ts';
import { deadLetters, queueVisibilitySeconds } from '../../resources.ts';
import { type EventSource, startPoller } from './poller.ts';
import type { LocalQueue } from './queues.ts';

/**
 * The delay of each redelivery of a failed message, unless its worker sets it. Kinder than AWS, where it is the rest of
 * the visibility timeout. Never 0: fauxqs cannot store that and would lose the message.
 */
const retrySeconds = (deliveries: number) => Math.min(60, 2 ** (deliveries - 1));

/** Connects each queue, and each dead-letter queue, to its worker. */
export function startPollers(queues: readonly LocalQueue[]) {
  const client = removeSdkLogger(new SQSClient({}));
  const sources = queues.flatMap(({ spec, url, arn, deadLetter }): EventSource[] => {
    const { worker, deadLetterWorker, batchSize, timeoutSeconds, maxConcurrency, setsRetryTime } = spec;
    return [
      {
        worker,
        url,
        arn,
        batchSize,
        timeoutSeconds,
        concurrency: maxConcurrency.local,
        visibilitySeconds: queueVisibilitySeconds(spec),
        ...(!setsRetryTime && { retrySeconds }),
      },
      {
        worker: deadLetterWorker,
        ...deadLetter,
        retrySeconds,
        batchSize: deadLetters.batchSize,
        timeoutSeconds: deadLetters.timeoutSeconds,
        concurrency: deadLetters.maxConcurrency,
        visibilitySeconds: queueVisibilitySeconds(deadLetters),
      },
    ];
  });
  const pollers = new AsyncDisposableStack();
  for (const source of sources) pollers.defer(startPoller(client, source).stop);
  return pollers;
}
