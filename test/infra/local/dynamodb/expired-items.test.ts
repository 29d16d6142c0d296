import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { deleteExpired } from '../../../../infra/local/dynamodb/expired-items.ts';
import { ensureTable } from '../../../../infra/local/dynamodb/table.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { toolPayloads } from '../../../../shared/domain/tools/tool-run-store.ts';
import { toolRunRecorder } from '../../../../shared/execution/dispatch/tool-executor.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { payloadNames } from '../../../support/data/payload-bucket.ts';
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

test('the large values of a run of a tool go with its item', async () => {
  const name = `expiry-${randomUUID()}`;
  await ensureTable(name);
  const tenant = `user:${randomUUID()}`;
  const startedAt = new Date();
  const scope = {
    table: tenantTable(documentClient(new DynamoDBClient({})), name, tenant, () => startedAt),
    now: () => startedAt,
    newId,
  };
  const execution = {
    id: newId('toolrun'),
    toolId: 'builtin:date-time',
    status: 'running' as const,
    error: null,
    executionTimeMs: 0,
    startedAt: startedAt.toISOString(),
    userId: 'u',
    keyId: null,
    flowExecutionId: null,
    stepId: null,
  };
  const origin = { trigger: { type: 'api' as const } };
  const input = () => ({ parameters: { text: 'x'.repeat(100_000) } });
  await toolRunRecorder(scope, { execution, name: 'date-time', origin, input }).begin();
  expect(await payloadNames(tenant, toolPayloads)).toHaveLength(1);
  await deleteExpired(name, startedAt);
  expect(await payloadNames(tenant, toolPayloads)).toHaveLength(1);
  await deleteExpired(name, new Date(startedAt.getTime() + 31 * 86_400_000));
  expect(await payloadNames(tenant, toolPayloads)).toEqual([]);
});
