import { json } from 'node:stream/consumers';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { onTestFinished, vi } from 'vitest';
import { handler as runRecordWorker } from '../../../functions/workers/run-record.ts';
import { toChunks } from '../../../shared/core/chunks.ts';
import type { RunMessage } from '../../../shared/execution/batches/run-message.ts';
import { aQuarter, sqsEvent } from '../flows/batches.ts';
import { loopback } from '../servers/loopback.ts';

interface Message {
  id: string;
  group: string;
  body: RunMessage;
  deliveries: number;
}

interface Entry {
  MessageBody: string;
  MessageGroupId: string;
  ReceiptHandle: string;
  VisibilityTimeout: number;
}

/** The queue of runs as a FIFO queue that delivers when the test says: the first message of every group that has none in flight. */
export async function fifoQueue() {
  const groups = new Map<string, Message[]>();
  const inFlight = new Map<string, Message>();
  const visibility = new Map<string, number>();
  let count = 0;
  const actions: Record<string, (entry: Entry) => void> = {
    SendMessageBatch({ MessageBody, MessageGroupId: group }) {
      const message = { id: `message ${count++}`, group, body: JSON.parse(MessageBody), deliveries: 0 };
      groups.set(group, [...(groups.get(group) ?? []), message]);
    },
    DeleteMessageBatch: ({ ReceiptHandle }) => void inFlight.delete(ReceiptHandle),
    ChangeMessageVisibilityBatch: ({ ReceiptHandle, VisibilityTimeout }) =>
      void visibility.set(ReceiptHandle, VisibilityTimeout),
  };
  const { url } = await loopback(async (request, response) => {
    const { Entries } = (await json(request)) as { Entries: Entry[] };
    for (const entry of Entries)
      actions[String(request.headers['x-amz-target']).split('.')[1] ?? '']?.(entry);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end('{}');
  });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubEnv('RUNS_QUEUE_URL', `${url}/runs`);
  onTestFinished(() => void vi.unstubAllEnvs());

  function receive(): Message[] {
    const blocked = new Set([...inFlight.values()].map(({ group }) => group));
    return [...groups.entries()].flatMap(([group, messages]) => {
      const message = blocked.has(group) ? undefined : messages.shift();
      return message ? [{ ...message, deliveries: message.deliveries + 1 }] : [];
    });
  }

  function eventOf(messages: readonly Message[]) {
    const event = sqsEvent(messages.map(({ body }) => body));
    for (const [index, { id, group, deliveries }] of messages.entries()) {
      const record = event.Records[index];
      if (!record) continue;
      record.messageId = id;
      record.receiptHandle = `${id}/${deliveries}`;
      record.attributes.MessageGroupId = group;
      record.attributes.ApproximateReceiveCount = String(deliveries);
      record.attributes.ApproximateFirstReceiveTimestamp = String(Date.now() - (deliveries - 1) * 3_600_000);
    }
    return event;
  }

  async function invoke(messages: readonly Message[], isKilled: boolean) {
    const answer: SQSBatchResponse = await runRecordWorker(eventOf(messages), aQuarter as Context);
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    if (isKilled) return;
    for (const { id, deliveries } of messages) if (!failed.has(id)) inFlight.delete(`${id}/${deliveries}`);
  }

  /** Begins an invocation for ten messages at a time. */
  function deliver(isKilled = false): Promise<void>[] {
    const messages = receive();
    for (const message of messages) inFlight.set(`${message.id}/${message.deliveries}`, message);
    return toChunks(messages, 10).map((some) => invoke(some, isKilled));
  }

  return {
    inFlight,
    visibility,
    /** Delivers what is ready, and does not wait until it has run. */
    deliver: () => void Promise.all(deliver()),
    /**
     * Delivers what is ready, and waits until it has run.
     * @param isKilled Whether the workers die before their messages are deleted.
     * @returns whether there was something.
     */
    async round({ isKilled = false } = {}): Promise<boolean> {
      return (await Promise.all(deliver(isKilled))).length > 0;
    },
    /** Makes visible again what is in flight, as after the visibility timeout. */
    expire() {
      for (const message of inFlight.values()) groups.get(message.group)?.unshift(message);
      inFlight.clear();
    },
  };
}
