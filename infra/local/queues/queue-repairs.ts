/**
 * Has fauxqs bear a disk without room, which would otherwise leave its memory and its file at odds: messages that are
 * taken for sent and are nowhere, or that no receiver gets. And its start lets go of all messages. Import it before.
 */
const part = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
const { PersistenceManager } = await part('./persistence.js');
const { SqsQueue } = await part('./sqs/sqsStore.js');

interface Message {
  approximateReceiveCount: number;
  messageDeduplicationId?: string;
}

const sqliteFull = 13;
const sqliteIoError = 10;
const isFull = (error: unknown) =>
  [sqliteFull, sqliteIoError].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff);

/** Goes on without the file where only that is lost which a later start finds out: who has received a message. */
function bear<A extends unknown[]>(method: string, when: (...parameters: A) => boolean = () => true): void {
  const write = PersistenceManager.prototype[method];
  PersistenceManager.prototype[method] = function (...parameters: A) {
    try {
      return write.apply(this, parameters);
    } catch (error) {
      if (!isFull(error) || !when(...parameters)) throw error;
    }
  };
}

bear('updateMessageInflight');
bear('updateQueueSequenceCounter');
// It comes once more after a restart, which every worker stands.
bear('deleteMessage');
// One that goes to the dead-letter queue; a new one is refused.
bear('insertMessage', (_queue: string, { approximateReceiveCount }: Message) => approximateReceiveCount > 0);

// A message that was refused may be sent again under its name.
const { enqueue } = SqsQueue.prototype;
SqsQueue.prototype.enqueue = function (message: Message) {
  try {
    return enqueue.call(this, message);
  } catch (error) {
    this.deduplicationCache.delete(message.messageDeduplicationId);
    throw error;
  }
};

// Whoever held a message when the last process ended is gone with it. Else its group would stand until its time is over,
// which may be long where the clock was set back.
const { loadSqsAndSns } = PersistenceManager.prototype;
PersistenceManager.prototype.loadSqsAndSns = function (...stores: unknown[]) {
  this.db.exec(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE receipt_handle IS NOT NULL',
  );
  return loadSqsAndSns.apply(this, stores);
};
