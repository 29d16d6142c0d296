import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { importEntity } from '../../../../shared/domain/imports/import.ts';
import { problemReader, problemsFile } from '../../../../shared/domain/imports/import-problems.ts';
import { jobFileReader } from '../../../../shared/domain/jobs/job-files.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { chunkStorer } from '../../../../shared/execution/imports/store-chunk.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { prepareChunks } from '../../../support/data/import-chunks.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { stack } from '../../../support/stack/stack.ts';

const rowsPerChunk = 3;
const client = documentClient(new DynamoDBClient({}));

function newScope(): Scope {
  const table = tenantTable(client, stack().table, `user:${randomUUID()}`);
  return { table, now: () => new Date(), newId };
}

/** The same, until a commit of it fails as if the process had been killed before or after it. */
function dyingScope(scope: Scope, commits: number, isAfter: boolean): Scope {
  let left = commits;
  const commit: Scope['table']['commit'] = async (...parameters) => {
    if (left < 0 || (left === 0 && !isAfter)) throw new Error('killed');
    await scope.table.commit(...parameters);
    if (left-- === 0) throw new Error('killed');
  };
  return { ...scope, table: { ...scope.table, commit } };
}

async function readResult(scope: Scope, id: string) {
  const item = await eventually(async () => {
    const found = await scope.table.get(importEntity, { id }, { consistent: true });
    expect(found?.status).toBe('completed');
    return found;
  });
  const values = new Map<string, unknown>();
  for await (const { records } of recordStore(scope).matching({ type: 'place' }))
    for (const { name, metadata } of records) {
      expect(values.has(name)).toBe(false);
      values.set(name, metadata.n);
    }
  const { problems } = await problemReader(scope).list(id, { limit: 100 });
  return { item, values, failedRows: problems.map(({ row }) => row) };
}

const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 14 });
const deaths = fc.array(fc.record({ chunk: fc.nat(5), commits: fc.nat(6), isAfter: fc.boolean() }), {
  maxLength: 6,
});

/** Each of them once, at last, in some order, beside deliveries that die. */
const orders = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));

test('of rows with one name the first becomes the record, in whatever order chunks are stored, killed and sent again', async () => {
  // Each chunk is the first of its lane, so that nobody else stores one.
  vi.stubEnv('JOBS_TENANT_PLACES', '100');
  await fc.assert(
    fc.asyncProperty(names, deaths, orders, async (rows, dying, order) => {
      const scope = newScope();
      const { id, chunks } = await prepareChunks(scope, rows, { mode: 'create', rowsPerChunk });
      const deliver = (chunk: number, each: Scope = scope) => chunkStorer(each)(id, chunk);
      const began = dying.map(({ chunk, commits, isAfter }) =>
        deliver(chunk % chunks, dyingScope(scope, commits, isAfter)).catch((error) =>
          expect(error.message).toBe('killed'),
        ),
      );
      const sorted = Array.from({ length: chunks }, (_, chunk) => ({
        chunk,
        at: order.next().value as number,
      }))
        .sort((one, other) => one.at - other.at)
        .map(({ chunk }) => chunk);
      const atOnce = sorted.slice(0, sorted.length / 2).map((chunk) => deliver(chunk));
      await Promise.all([...began, ...atOnce]);
      for (const chunk of sorted) await deliver(chunk);
      const { item, values, failedRows } = await readResult(scope, id);
      const first = new Map(rows.map((name, n) => [name, n] as const).reverse());
      expect(values).toEqual(first);
      expect(item).toMatchObject({
        rowsRead: rows.length,
        created: first.size,
        failed: rows.length - first.size,
      });
      const others = rows.flatMap((name, n) => (first.get(name) === n ? [] : [n + 1]));
      expect(failedRows).toEqual(others);
      if (others.length === 0) return;
      const [, ...lines] = (await jobFileReader(scope).readText(id, problemsFile)).trim().split('\r\n');
      expect(lines.map((line) => line.split(',').slice(-2))).toEqual(
        others.map((row) => [rows[row - 1], `${row - 1}`]),
      );
    }),
    { numRuns: 25 },
  );
  vi.unstubAllEnvs();
}, 240_000);

test('of rows with one name the last wins in an upsert, however often chunks are killed and sent again', async () => {
  await fc.assert(
    fc.asyncProperty(names, deaths, async (rows, dying) => {
      const scope = newScope();
      const { id, chunks } = await prepareChunks(scope, rows, { mode: 'upsert', rowsPerChunk });
      const deliver = (chunk: number, each: Scope = scope) => chunkStorer(each)(id, chunk);
      // A chunk is sent when the one before it is stored.
      for (let chunk = 0; chunk < chunks; chunk++) {
        const ofChunk = dying.filter((death) => death.chunk % chunks === chunk);
        await Promise.all([
          ...ofChunk.map(({ commits, isAfter }) =>
            deliver(chunk, dyingScope(scope, commits, isAfter)).catch((error) =>
              expect(error.message).toBe('killed'),
            ),
          ),
          deliver(chunk),
        ]);
        await deliver(chunk);
      }
      const { item, values } = await readResult(scope, id);
      const last = new Map(rows.map((name, n) => [name, n]));
      expect(values).toEqual(last);
      expect(item).toMatchObject({
        rowsRead: rows.length,
        created: last.size,
        updated: rows.length - last.size,
        failed: 0,
      });
    }),
    { numRuns: 15 },
  );
}, 240_000);

test('a delivery that comes upon the end of its import, which removes the files, does nothing', async () => {
  const scope = newScope();
  const { id } = await prepareChunks(scope, ['a', 'b'], { mode: 'upsert', rowsPerChunk });
  const before = await scope.table.get(importEntity, { id }, { consistent: true });
  await chunkStorer(scope)(id, 0);
  await readResult(scope, id);
  // As it read both before the end.
  const seen: unknown[] = [before, undefined];
  const get = (async (...parameters: Parameters<Scope['table']['get']>) =>
    seen.length > 0 ? seen.shift() : scope.table.get(...parameters)) as Scope['table']['get'];
  await chunkStorer({ ...scope, table: { ...scope.table, get } })(id, 0);
  expect((await readResult(scope, id)).item).toMatchObject({ created: 2, chunksDone: 1 });
});
