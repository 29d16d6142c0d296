import { log } from '../../core/log.ts';
import { messageGroup, sendMessage } from '../../platform/aws/queues.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Asks for attempts. The group is the tenant, so that slow receivers of one tenant do not delay others (SQS "fair queues"). */
export const outboxQueue =
  <Key extends { id: string }>(variable: `${string}_QUEUE_URL`, bareKey: (key: Key) => Key) =>
  ({ table: { tenant } }: Pick<Scope, 'table'>) => {
    const sendOne = (key: Key, delaySeconds = 0, waits?: number): Promise<void> =>
      sendMessage(
        variable,
        { tenant, ...bareKey(key), ...(waits && { waits }) },
        { delaySeconds, group: messageGroup(tenant) },
      );

    return {
      send: sendOne,

      /** For an item whose sweep is due shortly after: a failure only delays it. */
      sendOrLeave: (key: Key, delaySeconds = 0): Promise<void> =>
        sendOne(key, delaySeconds).catch((error) =>
          log.warn('The message of a delivery could not be sent; the sweep sends it', {
            error,
            deliveryId: key.id,
          }),
        ),
    };
  };
