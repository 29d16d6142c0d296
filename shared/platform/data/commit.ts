import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { isContention, isOutage, toConditionFailed } from './condition-failed.ts';
import type { RequestSignal } from './requests/exchange.ts';
import type { Write } from './writes.ts';

const contentionRetries = 8;

/** Sends one write as its own command, several as one transaction. */
export function sendWrites(
  client: DynamoDBDocumentClient,
  TableName: string,
  writes: readonly Write[],
): Promise<unknown> {
  const [write] = writes;
  if (writes.length === 1 && write) {
    if ('Put' in write) return client.send(new PutCommand({ TableName, ...write.Put }));
    if ('Update' in write) return client.send(new UpdateCommand({ TableName, ...write.Update }));
    if ('Delete' in write) return client.send(new DeleteCommand({ TableName, ...write.Delete }));
  }
  const TransactItems = writes.map((each) => {
    const [[kind, parameters]] = Object.entries(each) as [[string, Record<string, unknown>]];
    return { [kind]: { TableName, ...parameters } };
  });
  return client.send(new TransactWriteCommand({ TransactItems }));
}

/** Retries on contention. A failed condition goes to the caller. */
export async function retryContention<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (isContention(error) && attempt <= contentionRetries) await backOff(attempt);
      else throw toConditionFailed(error) ?? error;
    }
  }
}

/** Retries until the signal is aborted. For workers: they have time, and have paid for their results. */
export const retryOutages = (client: DynamoDBDocumentClient, signal: AbortSignal): DynamoDBDocumentClient => {
  const send = async (...parameters: Parameters<DynamoDBDocumentClient['send']>) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.send(...parameters);
      } catch (error) {
        if (signal.aborted || !(isOutage(error) || isContention(error))) throw error;
        await backOff(attempt);
      }
    }
  };
  return { send } as DynamoDBDocumentClient;
};

/** A client whose requests fail once the signal is aborted. */
export const endedBy = (client: DynamoDBDocumentClient, signal: AbortSignal): DynamoDBDocumentClient => {
  const pending = new Set<RequestSignal>();
  const abort = () => {
    for (const request of pending) {
      request.aborted = true;
      request.onabort?.();
    }
  };
  signal.addEventListener('abort', abort, { once: true });
  const send = async (command: Parameters<DynamoDBDocumentClient['send']>[0]) => {
    signal.throwIfAborted();
    const request: RequestSignal = { aborted: false, onabort: null };
    pending.add(request);
    try {
      return await client.send(command, { abortSignal: request as unknown as AbortSignal });
    } finally {
      pending.delete(request);
    }
  };
  return { send } as unknown as DynamoDBDocumentClient;
};

export const backOff = (attempt: number, pauseMsMax = 2_000) =>
  sleep(Math.random() * Math.min(pauseMsMax, 20 * 2 ** attempt));
