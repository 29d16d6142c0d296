import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { deleteExpired } from '../../../../infra/local/dynamodb/expired-items.ts';
import { ensureTable } from '../../../../infra/local/dynamodb/table.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import '../../../support/stack/stack.ts';

const partition = tenantPartition('NOTES');
const noteEntity = defineEntity({
  type: 'note',
  schema: z.object({ id: z.string(), ttl: z.int().optional() }),
  key: ({ id }: { id: string }) => ({ PK: partition, SK: id }),
});

test('the embedded stack deletes what has expired, and nothing else', async () => {
  const name = `expiry-${randomUUID()}`;
  await ensureTable(name);
  const now = new Date();
  const seconds = Math.floor(now.getTime() / 1_000);
  const table = tenantTable(documentClient(new DynamoDBClient({})), name, 'user:a', () => new Date(0));
  const ttls = { past: seconds - 1, now: seconds, future: seconds + 1, never: undefined };
  const notes = Object.entries(ttls).map(([id, ttl]) => ({ id, ...(ttl !== undefined && { ttl }) }));
  const many = Array.from({ length: 1_200 }, (_, n) => ({ id: `old ${n}`, ttl: 1 }));
  await table.insertAll([...notes, ...many].map((note) => table.writes.insert(noteEntity, note)));
  expect(await deleteExpired(name, now)).toBe(1_202);
  expect((await table.queryAll({ partition })).map(({ id }) => id)).toEqual(['future', 'never']);
  expect(await deleteExpired(name, now)).toBe(0);
});
