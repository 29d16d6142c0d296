import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { releaseUncounted } from '../../../../infra/local/queues/queue-repairs.ts';
import { newDirectory } from '../../../support/stack/processes.ts';

const part = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
const { PersistenceManager } = await part('./persistence.js');
const { SqsStore } = await part('./sqs/sqsStore.js');
const { sendMessageBatch } = await part('./sqs/actions/sendMessageBatch.js');

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}.fifo`;
const url = 'http://127.0.0.1/000000000000/q.fifo';

/** A queue and its dead-letter queue on a disk that can be full. */
function queuesOnDisk(directory = newDirectory(), maxReceiveCount = 1) {
  const persistence = new PersistenceManager(directory);
  onTestFinished(() => persistence.db.isOpen && persistence.db.close());
  const store = new SqsStore();
  persistence.loadSqsAndSns(store, { topics: new Map(), subscriptions: new Map() });
  store.persistence = persistence;
  for (const queue of store.allQueues()) queue.persistence = persistence;
  const make = (name: string, attributes = {}) =>
    store.getQueueByName(`${name}.fifo`) ??
    store.createQueue(`${name}.fifo`, url.replace('q.fifo', `${name}.fifo`), arnOf(name), {
      FifoQueue: 'true',
      ...attributes,
    });
  const dead = make('dead');
  const redrive = { deadLetterTargetArn: arnOf('dead'), maxReceiveCount };
  const queue = make('q', { RedrivePolicy: JSON.stringify(redrive) });
  let full = false;
  for (const [name, statement] of Object.entries<{ run: (...values: unknown[]) => unknown }>(
    persistence.stmts,
  )) {
    const { run } = statement;
    const isWrite = /^(?:insert|delete|update|upsert)/.test(name);
    statement.run = (...values) => {
      if (full && isWrite) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      return run.apply(statement, values);
    };
  }
  return {
    directory,
    close: () => persistence.db.close(),
    fill: (isFull: boolean) => {
      full = isFull;
    },
    send: (id: string) =>
      sendMessageBatch(
        {
          QueueUrl: url,
          Entries: [{ Id: '0', MessageBody: id, MessageGroupId: 'g', MessageDeduplicationId: id }],
        },
        store,
      ),
    receive: (seconds = 60): { Body: string; ReceiptHandle: string }[] =>
      queue.dequeue(10, seconds, (arn: string) => store.getQueueByArn(arn)),
    receiveDead: (): { Body: string }[] => dead.dequeue(10, 60),
    remove: (handle: string) => queue.deleteMessage(handle),
  };
}

test('a message rejected because of a full disk can be sent again and is delivered', () => {
  const { fill, send, receive } = queuesOnDisk();
  const id = randomUUID();
  fill(true);
  expect(() => send(id)).toThrow('full');
  fill(false);
  send(id);
  expect(receive().map(({ Body }) => Body)).toEqual([id]);
});

test('queued messages can be received, deleted and dead-lettered while the disk is full', () => {
  const { fill, send, receive, receiveDead, remove } = queuesOnDisk();
  for (const id of ['a', 'b']) send(id);
  fill(true);
  const [first] = receive();
  expect(first?.Body).toBe('a');
  remove(first?.ReceiptHandle ?? '');
  expect(receive(0).map(({ Body }) => Body)).toEqual(['b']);
  expect(receive()).toEqual([]);
  expect(receiveDead().map(({ Body }) => Body)).toEqual(['b']);
});

test('a message whose deletion could not be saved on a full disk is redelivered after a restart', () => {
  const before = queuesOnDisk();
  before.send('a');
  before.fill(true);
  const [first] = before.receive();
  before.remove(first?.ReceiptHandle ?? '');
  before.close();
  expect(
    queuesOnDisk(before.directory)
      .receive()
      .map(({ Body }) => Body),
  ).toEqual(['a']);
});

test('a message in flight when the process died is redelivered immediately after the restart, regardless of the visibility timeout', () => {
  const before = queuesOnDisk(newDirectory(), 5);
  before.send('a');
  expect(before.receive(3_600)).toHaveLength(1);
  before.close();
  expect(
    queuesOnDisk(before.directory)
      .receive()
      .map(({ Body }) => Body),
  ).toEqual(['a']);
});

/** Receives once and dies, as often as is said. @returns the queues after the last start */
function restarted(times: number, before: (queues: ReturnType<typeof queuesOnDisk>) => void = () => {}) {
  let queues = queuesOnDisk(newDirectory(), 3);
  for (const id of ['a', 'b']) queues.send(id);
  for (let time = 0; time < times; time++) {
    expect(queues.receive(3_600)).toMatchObject([{ Body: 'a' }]);
    before(queues);
    queues.close();
    queues = queuesOnDisk(queues.directory, 3);
  }
  return queues;
}

test('receives are counted over restarts: a message that ends the process each time goes to the dead-letter queue', () => {
  const { receive, receiveDead } = restarted(3);
  expect(receive()).toMatchObject([{ Body: 'b' }]);
  expect(receiveDead()).toMatchObject([{ Body: 'a' }]);
});

test('fewer interrupted receives, and those of stops in order, send no message to the dead-letter queue', () => {
  expect(restarted(2).receive()).toMatchObject([{ Body: 'a' }]);
  const { receive, receiveDead } = restarted(5, () => releaseUncounted());
  expect(receiveDead()).toEqual([]);
  expect(receive()).toMatchObject([{ Body: 'a' }]);
});
