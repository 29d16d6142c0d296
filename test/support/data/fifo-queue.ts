import { json } from 'node:stream/consumers';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { onTestFinished, vi } from 'vitest';
import { handler as runRecordWorker } from '../../../functions/workers/run-record.ts';
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

/**
 * The queue of runs as a FIFO queue whose clock the test turns: each round delivers the first message of every group that
 * has none in flight.
 */
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

  return {
    inFlight,
    visibility,
    /** @param isKilled Whether workers die before their messages are deleted. @returns how many were delivered. */
    async round({ isKilled = false } = {}): Promise<number> {
      const messages = receive();
      for (const message of messages) inFlight.set(`${message.id}/${message.deliveries}`, message);
      for (let n = 0; n < messages.length; n += 10) {
        const some = messages.slice(n, n + 10);
        const answer: SQSBatchResponse = await runRecordWorker(eventOf(some), aQuarter as Context);
        const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        if (isKilled) continue;
        for (const { id, deliveries } of some) if (!failed.has(id)) inFlight.delete(`${id}/${deliveries}`);
      }
      return messages.length;
    },
    /** Makes visible again what is in flight, as after the visibility timeout. */
    expire() {
      for (const message of inFlight.values()) groups.get(message.group)?.unshift(message);
      inFlight.clear();
    },
  };
}
