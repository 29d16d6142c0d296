import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { importEntity } from '../../../../shared/domain/imports/import.ts';
import { chunkStorer } from '../../../../shared/execution/imports/store-chunk.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { prepareChunks } from '../../../support/data/import-chunks.ts';
import { stack } from '../../../support/stack/stack.ts';

/** A scope whose commands are counted, with their items. */
function countingScope() {
  const sent: [command: string, items: number][] = [];
  const client = new DynamoDBClient({});
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (command) => {
        const { TransactItems = [] } = command.input as { TransactItems?: unknown[] };
        sent.push([String(commandName).replace(/Command$/, ''), TransactItems.length]);
        return next(command);
      },
    { step: 'initialize', name: 'counted' },
  );
  const tenant = `user:${randomUUID()}`;
  const table = tenantTable(documentClient(client), stack().table, tenant);
  return { scope: { table, now: () => new Date(), newId }, sent };
}

const rows = 500;

/** A chunk that waits to be stored. @returns the id of its import */
async function prepareChunk(scope: ReturnType<typeof countingScope>['scope'], mode: 'create' | 'upsert') {
  const names = Array.from({ length: rows }, (_, n) => `row ${n}`);
  return (await prepareChunks(scope, names, { mode, rowsPerChunk: rows })).id;
}

test('a chunk of new records takes one transaction for 50 rows, with two writes a row, and a few requests beside', async () => {
  const { scope, sent } = countingScope();
  const id = await prepareChunk(scope, 'create');
  sent.length = 0;
  await chunkStorer(scope)(id, 0);
  const inserts = sent.filter(([name, items]) => name === 'TransactWriteItems' && items > 2);
  expect(inserts).toHaveLength(rows / 50);
  expect(inserts.reduce((sum, [, items]) => sum + items, 0)).toBe(2 * rows);
  // Of the import and the chunk, before and after, and of the end.
  expect(sent.length - inserts.length).toBeLessThanOrEqual(7);

  // A second delivery finds the chunk done.
  sent.length = 0;
  await chunkStorer(scope)(id, 0);
  expect(sent.length).toBeLessThanOrEqual(4);
});

test('an upsert finds its records with two requests for 32 rows, and writes nothing for equal ones', async () => {
  const { scope, sent } = countingScope();
  await chunkStorer(scope)(await prepareChunk(scope, 'upsert'), 0);
  const id = await prepareChunk(scope, 'upsert');
  sent.length = 0;
  await chunkStorer(scope)(id, 0);
  const groups = Math.ceil(rows / 32);
  expect(sent.filter(([name]) => name === 'BatchGetItem')).toHaveLength(2 * groups);
  const writes = sent.filter(([name]) => name === 'TransactWriteItems');
  expect(writes.every(([, items]) => items === 2)).toBe(true);
  expect(writes).toHaveLength(groups);
  const after = await scope.table.get(importEntity, { id }, { consistent: true });
  expect(after).toMatchObject({ status: 'completed', unchanged: rows, created: 0, updated: 0 });
});
