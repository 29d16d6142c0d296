import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { log } from '../../../shared/core/log.ts';
import { unixSeconds } from '../../../shared/core/time.ts';
import { payloadRemover } from '../../../shared/platform/data/payloads.ts';
import { expiringPayloads, tableSchema } from '../../resources.ts';

const everyMs = 3_600_000;
/** A page takes the engine a few milliseconds. */
const itemsPerPage = 1_000;
const deletesAtOnce = 4;
/** The engine is idle for so many times the time that a page takes, so that requests hardly notice. */
const restFactor = 4;

const { partitionKey, sortKey, timeToLive } = tableSchema;

/**
 * Deletes what has expired, with the payloads of tools' runs and exports, at the start and then every hour, as DynamoDB does:
 * the engine only does so when asked.
 */
export function startExpiry(TableName: string): Disposable {
  const stop = new AbortController();
  const run = () =>
    deleteExpired(TableName, new Date(), stop.signal).catch((error) => {
      if (!stop.signal.aborted) log.error('Expired items could not be deleted', { error });
    });
  run();
  const timer = setInterval(run, everyMs);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      stop.abort();
    },
  };
}

/** @returns the number of deleted items */
export async function deleteExpired(TableName: string, now: Date, signal?: AbortSignal): Promise<number> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const expired = {
    ExpressionAttributeNames: { '#ttl': timeToLive },
    ExpressionAttributeValues: { ':now': unixSeconds(now) },
  };
  const pages = paginateScan(
    { client, pageSize: itemsPerPage },
    {
      TableName,
      FilterExpression: '#ttl <= :now',
      ProjectionExpression: `${partitionKey}, ${sortKey}`,
      ...expired,
    },
  );
  let deleted = 0;
  try {
    for (let startedAt = performance.now(); ; startedAt = performance.now()) {
      const { value, done } = await pages.next();
      if (done) return deleted;
      await forEachConcurrently(value.Items ?? [], deletesAtOnce, async (Key) => {
        // It may have been written anew.
        const condition = {
          ConditionExpression: '#ttl <= :now',
          ReturnValues: 'ALL_OLD',
          ...expired,
        } as const;
        const gone = await client.send(new DeleteCommand({ TableName, Key, ...condition })).catch(ifRenewed);
        if (gone) deleted++;
        await payloadRemover().remove(listExpiringPayloads(gone?.Attributes ?? {}));
      });
      await sleep(restFactor * (performance.now() - startedAt), undefined, { ...(signal && { signal }) });
    }
  } finally {
    client.destroy();
  }
}

function ifRenewed(error: unknown): undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
}

const roots = Object.keys(expiringPayloads);

/** Those that only this item names. On AWS a rule of the bucket expires them. */
const listExpiringPayloads = (item: Record<string, unknown>): string[] =>
  Object.values(item).flatMap((value) => {
    const { pointer } = (value ?? {}) as { pointer?: unknown };
    const isOwn = typeof pointer === 'string' && roots.some((root) => pointer.startsWith(root));
    return isOwn ? [pointer] : [];
  });
