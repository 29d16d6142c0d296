import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { RequestSignal } from './requests/exchange.ts';
import type { Write } from './writes.ts';

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
