import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { ensureTable } from '../../../infra/local/dynamodb/table.ts';
import { newId } from '../../../shared/core/ids.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { defineEntity, toOlderShapeFilter } from '../../../shared/platform/data/entity.ts';
import { tenantPartition, toStoredKey } from '../../../shared/platform/data/keys.ts';
import { type TenantTable, tenantTable } from '../../../shared/platform/data/table.ts';
import { tableWalk, type WalkTable } from '../../../shared/platform/data/walk.ts';
import {
  defineMigration,
  type Migration,
  migrationStarter,
  type Portion,
  readProgress,
  runMigration,
} from '../../../shared/platform/run-migration.ts';
import { throttled } from '../../support/data/broken-table.ts';

/** A person whose `name` was stored as `label` in shape 1, and whose `tags` were one text in shape 2. */
const personEntity = defineEntity({
  type: 'person',
  schema: z.object({ id: z.string(), name: z.string(), tags: z.array(z.string()), revision: z.int() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('PEOPLE'), SK: id }),
  shape: 3,
  convert: ({ label, tags, ...item }) => ({
    name: label,
    tags: Array.isArray(tags) ? tags : String(tags).split(','),
    ...item,
  }),
});

const client = documentClient();
let TableName: string;
let walk: WalkTable;
beforeEach(async () => {
  TableName = `migrations-${randomUUID()}`;
  await ensureTable(TableName);
  walk = tableWalk(TableName);
});

const tableOf = (tenant: string): TenantTable => tenantTable(client, TableName, tenant);
const scopeOf = (tenant: string) => ({ table: tableOf(tenant), now: () => new Date(), newId });
const run = (migration: Migration, portion?: Portion, walkTable = walk) =>
  runMigration({ scopeOf, walk: walkTable }, migration, portion);
const start = (migration: Migration, again?: boolean) =>
  migrationStarter(scopeOf('')).start([migration], again);
const progress = ({ id }: Migration) => readProgress(tableOf(''), id);

const putStored = (tenant: string, id: string, item: object) =>
  client.send(
    new PutCommand({
      TableName,
      Item: { ...toStoredKey(tenant, personEntity.key({ id })), _type: 'person', id, revision: 1, ...item },
    }),
  );

const tenants = ['user:a', 'user:b', 'org:c'];
/** Ten people of each tenant, in shape 1 or 2. */
async function tenPeopleEach(): Promise<void> {
  for (const tenant of tenants) {
    for (let n = 0; n < 10; n++) {
      const shape = n < 5 ? { label: `P${n}`, tags: 'x,y' } : { name: `P${n}`, tags: 'x,y', _v: 2 };
      await putStored(tenant, `p${n}`, shape);
    }
  }
}

/** The back-fill of a changed shape. */
const rewrite = (apply?: Migration['apply']) =>
  defineMigration({
    id: '7-people',
    entity: personEntity,
    filter: toOlderShapeFilter(personEntity),
    uses: ['table:write'],
    apply: async (scope, person) => {
      if (await apply?.(scope, person)) return true;
      await scope.table.modify(personEntity, person, (item) => ({ put: item }));
      return true;
    },
  });

const remaining = async () =>
  (
    await walk({
      entity: personEntity,
      filter: toOlderShapeFilter(personEntity),
      limit: 1_000,
      after: undefined,
    })
  ).items.length;

test('items of older shapes are read in the newest, and written with its number', async () => {
  const table = tableOf('user:a');
  await putStored('user:a', 'one', { label: 'Ada', tags: 'x,y' });
  await putStored('user:a', 'two', { name: 'Ada', tags: 'x,y', _v: 2 });
  for (const id of ['one', 'two'])
    expect(await table.get(personEntity, { id })).toEqual({ id, name: 'Ada', tags: ['x', 'y'], revision: 1 });
  await table.commit([table.writes.insert(personEntity, { id: 'new', name: 'Bo', tags: [], revision: 1 })]);
  expect(await remaining()).toBe(2);
});

test('a release that still writes the old shape can read that of the next one', async () => {
  const before = defineEntity({
    type: 'person',
    schema: z.object({ id: z.string(), label: z.string() }),
    key: personEntity.key,
    convert: ({ name, ...item }) => ({ label: name, ...item }),
  });
  const table = tableOf('user:a');
  await table.commit([
    table.writes.insert(personEntity, { id: 'one', name: 'Ada', tags: ['x'], revision: 1 }),
    table.writes.insert(before, { id: 'two', label: 'Bo' }),
  ]);
  expect(await table.get(before, { id: 'one' })).toEqual({ id: 'one', label: 'Ada' });
  expect(await table.get(before, { id: 'two' })).toEqual({ id: 'two', label: 'Bo' });
  expect(await remaining()).toBe(1);
});

test('an update of an old item survives the back-fill', async () => {
  const table = tableOf('user:a');
  await putStored('user:a', 'one', { label: 'Ada', tags: 'x,y' });
  await table.commit([
    table.writes.update(personEntity, { id: 'one' }, { set: { name: 'Eve', tags: ['z'] } }),
  ]);
  await start(rewrite());
  await run(rewrite());
  expect(await table.get(personEntity, { id: 'one' })).toMatchObject({ name: 'Eve', tags: ['z'] });
  expect(await remaining()).toBe(0);
});

test('a migration visits every item of its kind, of all tenants, a page at a time, and completes', async () => {
  await tenPeopleEach();
  await start(rewrite());
  const first = { pages: 2, itemsPerPage: 4 };
  expect(await run(rewrite(), first)).toBe(true);
  expect(await progress(rewrite())).toMatchObject({ state: 'running', page: 2, examined: 8 });
  while (await run(rewrite(), first));
  // The item of its own progress is examined, too.
  expect(await progress(rewrite())).toMatchObject({
    state: 'completed',
    examined: 31,
    changed: 30,
    failed: 0,
  });
  expect(await remaining()).toBe(0);
});

test('a completed migration starts again only on request, and finds nothing to do', async () => {
  await tenPeopleEach();
  await start(rewrite());
  expect(await run(rewrite())).toBe(false);
  await start(rewrite());
  expect(await run(rewrite())).toBe(false);
  expect(await progress(rewrite())).toMatchObject({ state: 'completed', round: 1 });
  await start(rewrite(), true);
  await run(rewrite());
  expect(await progress(rewrite())).toMatchObject({ state: 'completed', round: 2, changed: 0 });
});

test('of two workers on the same page one counts it and goes on; the other leaves the rest to it', async () => {
  await tenPeopleEach();
  await start(rewrite());
  const met = Promise.withResolvers<void>();
  let walking = 0;
  const together: WalkTable = async (options) => {
    const page = await walk(options);
    if (++walking === 2) met.resolve();
    if (options.after === undefined) await met.promise;
    return page;
  };
  const goesOn = await Promise.all([1, 2].map(() => run(rewrite(), { pages: 3, itemsPerPage: 4 }, together)));
  expect(goesOn.toSorted()).toEqual([false, true]);
  expect(await progress(rewrite())).toMatchObject({ page: 3, examined: 12 });
  while (await run(rewrite()));
  expect(await progress(rewrite())).toMatchObject({ state: 'completed', examined: 31 });
  expect(await remaining()).toBe(0);
});

test('a migration goes on after items that fail, lists them, and visits them again at the next start', async () => {
  await tenPeopleEach();
  await putStored('user:b', 'p3', { label: 3, tags: 'x' });
  let isBroken = true;
  const migration = rewrite(async ({ table }, { id }) => {
    if (isBroken && table.tenant === 'user:a' && id === 'p1') throw new Error('not today');
    return false;
  });
  await start(migration);
  expect(await run(migration)).toBe(false);
  const first = await progress(migration);
  expect(first).toMatchObject({ state: 'incomplete', failed: 2, changed: 28 });
  expect(first?.failures.map(({ SK, error }) => [SK, error]).toSorted()).toEqual([
    ['p1', 'Error: not today'],
    ['p3', expect.stringContaining('name')],
  ]);
  isBroken = false;
  await putStored('user:b', 'p3', { label: 'P3', tags: 'x' });
  await start(migration);
  await run(migration);
  expect(await progress(migration)).toMatchObject({
    state: 'completed',
    round: 2,
    changed: 2,
    failed: 0,
    failures: [],
  });
});

test('what would fail every item, such as throttling, fails the message and no item', async () => {
  await tenPeopleEach();
  const migration = rewrite(() => Promise.reject(throttled()));
  await start(migration);
  await expect(run(migration)).rejects.toThrow('Throughput');
  expect(await progress(migration)).toMatchObject({ state: 'running', page: 0, failed: 0 });
  await run(rewrite());
  expect(await progress(rewrite())).toMatchObject({ state: 'completed', changed: 30 });
});
