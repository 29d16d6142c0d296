import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { toChunks } from '../../core/chunks.ts';
import { backOff } from './retry-contention.ts';

export type BatchItem =
  | { PutRequest: { Item: Record<string, unknown> } }
  | { DeleteRequest: { Key: Record<string, unknown> } };

const batchWriteMax = 25;

/** Sends writes without conditions, 25 in a request. Each item by itself: a crash can leave some of them unwritten. */
export async function batchWrite(
  client: DynamoDBDocumentClient,
  TableName: string,
  items: readonly BatchItem[],
): Promise<void> {
  for (const chunk of toChunks(items, batchWriteMax)) {
    let left: Record<string, unknown>[] = chunk;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: left } }),
      );
      left = UnprocessedItems?.[TableName] ?? [];
    }
  }
}
