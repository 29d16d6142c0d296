/**
 * Patches fauxqs: keeps its memory and its file consistent on a full disk, where messages would otherwise be lost or
 * never delivered, and releases all messages at its start. Import it first.
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

// The receivers of the last process are gone. Release their messages: otherwise their groups would block until the
// visibility timeout. Their interrupted deliveries do not count, so no worker takes them for running.
const { loadSqsAndSns } = PersistenceManager.prototype;
PersistenceManager.prototype.loadSqsAndSns = function (...stores: unknown[]) {
  this.db.exec(
    `UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL, approximate_receive_count = 0,
      approximate_first_receive_timestamp = NULL WHERE receipt_handle IS NOT NULL`,
  );
  // No delay is longer, unless the clock was set back since.
  const latest = Date.now() + delayMsMax;
  this.db.exec(`UPDATE sqs_messages SET delay_until = ${latest} WHERE delay_until > ${latest}`);
  return loadSqsAndSns.apply(this, stores);
};
