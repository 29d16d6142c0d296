import { log } from '../../../core/log.ts';
import { deleteMessages } from '../../../platform/aws/queues.ts';

/** How long a message that is done waits for the end of its invocation. */
const waitMs = 250;

/**
 * Deletes messages that are done while other groups of their invocation still run: their own group could not go on
 * before. Lambda deletes the others, and these a second time, which does nothing.
 */
export function earlyDeletes() {
  const done: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const handles = done.splice(0);
    void deleteMessages('RUNS_QUEUE_URL', handles).catch((error) =>
      log.warn('Messages that are done could not be deleted early', { error }),
    );
  };
  return {
    add(receiptHandle: string) {
      done.push(receiptHandle);
      timer ??= setTimeout(flush, waitMs);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
