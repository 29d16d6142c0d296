/**
 * Patches fauxqs: keeps its memory and its file consistent on a full disk, where messages would otherwise be lost or
 * never delivered, and releases all messages at its start, with their receives counted over restarts. Import it first.
 */
import { isFullDisk } from '../runtime/full-disk.ts';

const part = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
const { PersistenceManager } = await part('./persistence.js');
const { SqsQueue } = await part('./sqs/sqsStore.js');

interface Message {
  approximateReceiveCount: number;
  messageDeduplicationId?: string;
}

// Says so in the status: it is no failure of the server.
for (const method of Object.getOwnPropertyNames(PersistenceManager.prototype)) {
  const write = PersistenceManager.prototype[method];
  if (method === 'constructor' || typeof write !== 'function') continue;
  PersistenceManager.prototype[method] = function (...parameters: unknown[]) {
    try {
      return write.apply(this, parameters);
    } catch (error) {
      throw isFullDisk(error) ? Object.assign(error as Error, { statusCode: 507 }) : error;
    }
  };
}

/** Continues without the file if only receive counts are lost. */
function tolerate<A extends unknown[]>(
  method: string,
  when: (...parameters: A) => boolean = () => true,
): void {
  const write = PersistenceManager.prototype[method];
  PersistenceManager.prototype[method] = function (...parameters: A) {
    try {
      return write.apply(this, parameters);
    } catch (error) {
      if (!isFullDisk(error) || !when(...parameters)) throw error;
    }
  };
}

tolerate('updateMessageInflight');
tolerate('updateQueueSequenceCounter');
// It is redelivered after a restart; every worker is idempotent.
tolerate('deleteMessage');
// Keeps a message on its way to the dead-letter queue; rejects a new one.
tolerate(
  'insertMessage',
  (_queue: string, { approximateReceiveCount }: Message) => approximateReceiveCount > 0,
);

// A rejected message may be sent again with the same deduplication id.
const { enqueue } = SqsQueue.prototype;
SqsQueue.prototype.enqueue = function (message: Message) {
  try {
    return enqueue.call(this, message);
  } catch (error) {
    this.deduplicationCache.delete(message.messageDeduplicationId);
    throw error;
  }
};

/** Of SQS. */
const delayMsMax = 900_000;

interface Database {
  exec: (sql: string) => void;
}
let opened: Database | undefined;

// The receivers of the last process are gone. Release their messages: otherwise their groups would block until the
// visibility timeout. To workers, the next delivery is the first one: nobody else runs what the message asks for. How
// often a message was received in all is counted beside it, because what it asks for may have ended the process.
const { loadSqsAndSns } = PersistenceManager.prototype;
PersistenceManager.prototype.loadSqsAndSns = function (...stores: unknown[]) {
  opened = this.db as Database;
  opened.exec(
    'CREATE TABLE IF NOT EXISTS earlier_receives (message_id TEXT PRIMARY KEY, count INTEGER NOT NULL)',
  );
  release(opened, 'approximate_receive_count');
  deadLetter(opened);
  // No delay is longer, unless the clock was set back since.
  const latest = Date.now() + delayMsMax;
  opened.exec(`UPDATE sqs_messages SET delay_until = ${latest} WHERE delay_until > ${latest}`);
  return loadSqsAndSns.apply(this, stores);
};

/** Call when the service stops in order: the deliveries that it interrupts are not counted. */
export function releaseUncounted(): void {
  try {
    if (opened) release(opened, 'approximate_receive_count - 1');
  } catch (error) {
    if (!isFullDisk(error)) throw error;
  }
}

function release(database: Database, counted: string): void {
  database.exec(
    `INSERT INTO earlier_receives SELECT message_id, ${counted} FROM sqs_messages WHERE receipt_handle IS NOT NULL
      ON CONFLICT (message_id) DO UPDATE SET count = count + excluded.count`,
  );
  database.exec(
    `UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL, approximate_receive_count = 0,
      approximate_first_receive_timestamp = NULL WHERE receipt_handle IS NOT NULL`,
  );
}

// What was received too often goes to the dead-letter queue of its queue, as at the receive after the last.
const received = `
  SELECT message_id FROM earlier_receives
    JOIN sqs_messages USING (message_id)
    JOIN sqs_queues ON sqs_queues.name = queue_name
    WHERE count >= json_extract(json_extract(attributes, '$.RedrivePolicy'), '$.maxReceiveCount')`;
const deadLetterQueue = `
  SELECT dead.name FROM sqs_queues AS own JOIN sqs_queues AS dead
    ON dead.arn = json_extract(json_extract(own.attributes, '$.RedrivePolicy'), '$.deadLetterTargetArn')
    WHERE own.name = sqs_messages.queue_name`;

function deadLetter(database: Database): void {
  database.exec(
    `UPDATE sqs_messages SET queue_name = coalesce((${deadLetterQueue}), queue_name) WHERE message_id IN (${received})`,
  );
  // In the dead-letter queue, it begins anew.
  database.exec(
    `DELETE FROM earlier_receives WHERE message_id NOT IN (
      SELECT message_id FROM sqs_messages JOIN sqs_queues ON sqs_queues.name = queue_name
        WHERE json_extract(attributes, '$.RedrivePolicy') IS NOT NULL)`,
  );
}
