import { gzipSync } from 'node:zlib';
import { BatchWriteItemCommand, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { toChunks } from '../../../shared/core/chunks.ts';
import { requireEnv } from '../../../shared/core/environment.ts';
import { requestS3, S3Error } from '../../../shared/platform/aws/s3.ts';
import { readTenant } from '../../../shared/platform/data/keys.ts';
import { payloadHeaders } from '../../../shared/platform/data/payloads.ts';
import {
  fromWireValue,
  mapFromWire,
  toWireValue,
} from '../../../shared/platform/data/requests/attribute-values.ts';
import { ensureTable } from '../../local/dynamodb/table.ts';
import type { TableItem } from './check-table.ts';
import { pointersIn } from './pointers.ts';

/**
 * A table and the payloads that it names, as of one moment. Stands for point-in-time recovery and object versions, which
 * the embedded stack has not.
 */
export const Backup = z.object({
  takenAt: z.string(),
  /** Stored items in DynamoDB's JSON, so that no number changes. */
  items: z.array(z.record(z.string(), z.record(z.string(), z.unknown()))),
  /** By name. */
  objects: z.record(
    z.string(),
    z.object({
      /** Base64, unpacked if the object says how it is packed. */
      content: z.string(),
      isEncoded: z.boolean(),
    }),
  ),
});
export type Backup = z.infer<typeof Backup>;

/** Nothing may write meanwhile. */
export async function takeBackup(TableName: string): Promise<Backup> {
  const items: Backup['items'] = [];
  for await (const { Items = [] } of paginateScan({ client: new DynamoDBClient({}) }, { TableName }))
    items.push(...Items.map((item) => mapped(item, toWireValue)));
  const pointers = items.flatMap((stored) => {
    const item = mapFromWire(stored) as TableItem;
    return pointersIn(item, readTenant(item));
  });
  const objects: Backup['objects'] = {};
  for (const pointer of new Set(pointers)) {
    const response = await requestS3(requireEnv('PAYLOAD_BUCKET'), 'GET', pointer);
    const content = Buffer.from(await response.arrayBuffer()).toString('base64');
    objects[pointer] = { content, isEncoded: response.headers.get('content-encoding') === 'gzip' };
  }
  return { takenAt: new Date().toISOString(), items, objects };
}

const mapped = <From, To>(item: Record<string, From>, convert: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, convert(value)]));

const batchWriteMax = 25;

/** Restores the items into a new table. Idempotent: after an interruption it writes all again. */
export async function restoreTable(
  { items }: Backup,
  TableName: string,
  onProgress: (written: number) => void,
): Promise<void> {
  await ensureTable(TableName);
  const client = new DynamoDBClient({});
  let written = 0;
  for (const chunk of toChunks(items, batchWriteMax)) {
    const puts = chunk.map((item) => ({ PutRequest: { Item: mapped(item, fromWireValue) } }));
    const { UnprocessedItems = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('The engine did not write all items');
    written += chunk.length;
    onProgress(written);
  }
}

/** Whether an object is in the bucket. */
export async function objectExists(pointer: string): Promise<boolean> {
  try {
    await requestS3(requireEnv('PAYLOAD_BUCKET'), 'HEAD', pointer);
    return true;
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return false;
    throw error;
  }
}

/** Brings an object back, as removing its delete marker does on AWS. @returns whether the backup has it. */
export async function restoreObject({ objects }: Backup, pointer: string): Promise<boolean> {
  const object = objects[pointer];
  if (object === undefined) return false;
  const content = Buffer.from(object.content, 'base64');
  await requestS3(requireEnv('PAYLOAD_BUCKET'), 'PUT', pointer, {
    body: object.isEncoded ? gzipSync(content) : content,
    ...(object.isEncoded && { headers: payloadHeaders }),
  });
  return true;
}
