import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { removeSdkLogger } from '../../../shared/platform/aws/sdk-clients.ts';
import { deadLetters, queueVisibilitySeconds } from '../../resources.ts';
import { type EventSource, startPoller } from './poller.ts';
import type { LocalQueue } from './queues.ts';
import { openWorkerProcesses } from './worker-processes.ts';

/**
 * The delay of each redelivery of a failed message, unless its worker sets it. Kinder than AWS, where it is the rest of
 * the visibility timeout. Never 0: fauxqs cannot store that and would lose the message.
 */
const retrySeconds = (deliveries: number) => Math.min(60, 2 ** (deliveries - 1));

/** Loaded when a process has died. */
async function returnRuns(event: SQSEvent): Promise<void> {
  const { returnMessages } = await import('../../../shared/execution/record-runs/run-slot.ts');
  const { productionRuntime } = await import('../../../shared/platform/runtime.ts');
  await returnMessages(productionRuntime(), event);
}

/** Connects each queue, and each dead-letter queue, to its worker. @param workerProcesses How many run the records of batches. */
export function startPollers(queues: readonly LocalQueue[], workerProcesses = 0) {
  const client = removeSdkLogger(new SQSClient({}));
  const pollers = new AsyncDisposableStack();
  const processes = pollers.use(openWorkerProcesses(workerProcesses, returnRuns));
  const sources = queues.flatMap(({ name, spec, url, arn, deadLetter }): EventSource[] => {
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
        ...(name === 'runs' && { invoke: processes.invoke }),
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
  for (const source of sources) pollers.defer(startPoller(client, source).stop);
  return pollers;
}
