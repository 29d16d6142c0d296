import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toChunks } from '../../../../shared/core/chunks.ts';
import { type IdPrefix, newId } from '../../../../shared/core/ids.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import type { ListSource, PostFilter } from '../../../../shared/platform/data/lists/listing.ts';
import {
  type CursorPagination,
  CursorQuery,
  cursorPage,
} from '../../../../shared/platform/data/lists/pages.ts';
import type { TenantTable } from '../../../../shared/platform/data/table.ts';
import { noteEntity, notes } from './notes.ts';

const names = ['keep', 'drop'] as const;
type Name = (typeof names)[number];

/** Notes of one tenant, newest first, with ids that tell when they were made. */
async function insertNotes(given: readonly Name[]) {
  const { table, commands, units } = notes();
  const inserted = given.map((name) => ({ id: newId('record'), name }));
  if (inserted.length > 0) await table.commit(inserted.map((note) => table.writes.insert(noteEntity, note)));
  const source = { partition: tenantPartition('BY_ID'), index: 1 as const, kind: 'record' as const };
  return { table, commands, units, source, newestFirst: inserted.toReversed() };
}

const kept = { expression: '#summary.#name = :keep', values: { keep: 'keep' } };

/** The same table, a query of which looks at a few items only, as DynamoDB's do after a megabyte. */
const shortSighted = (table: TenantTable, seen: number): TenantTable => ({
  ...table,
  walk: (options) => table.walk({ ...options, perQuery: seen }),
});

type Page = { ids: unknown[]; pagination: CursorPagination };

/** Follows cursors from a page to the end of the list. */
async function walk(
  table: TenantTable,
  source: ListSource & { kind: IdPrefix },
  query: Record<string, string>,
  cursorName: 'nextCursor' | 'prevCursor' = 'nextCursor',
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor = query.cursor; ; ) {
    const asked = CursorQuery.parse({ ...query, ...(cursor && { cursor }) });
    const { rows, pagination } = await cursorPage(table, source, asked);
    pages.push({ ids: rows.map(({ id }) => id), pagination });
    if (!pagination[cursorName]) return pages;
    if (pages.length > 200) throw new Error('The pages do not end');
    cursor = pagination[cursorName];
  }
}

const idsIn = (pages: Page[]) => pages.flatMap(({ ids }) => ids);

/** Tells the same rows by reading them, which is more or less dear, so that pages end after few of them. */
const keeping = ({ unitsEach, atOnce }: { unitsEach: number; atOnce: number }): PostFilter => ({
  keep: async (entries) => ({
    rows: entries.filter(({ name }) => name === 'keep'),
    units: entries.length * unitsEach,
  }),
  entriesPerQuery: 5,
  batchSize: atOnce,
});

const lists = fc.record({
  given: fc.array(fc.constantFrom(...names), { maxLength: 24 }),
  limit: fc.integer({ min: 1, max: 9 }),
  seen: fc.integer({ min: 1, max: 12 }),
  filtered: fc.constantFrom(undefined, 'by the index', 'by a sieve'),
  postFilter: fc.record({
    unitsEach: fc.constantFrom(1, 300, 1_000, 5_000),
    atOnce: fc.integer({ min: 1, max: 4 }),
  }),
});

test('paging forward and back neither loses nor repeats a row, and each page reports its position', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async ({ given, limit, seen, filtered, postFilter }) => {
      const { table, source, newestFirst } = await insertNotes(given);
      const list = {
        ...source,
        ...(filtered === 'by the index' && { filter: kept }),
        ...(filtered === 'by a sieve' && { postFilter: keeping(postFilter) }),
      };
      const wanted = newestFirst.filter(({ name }) => !filtered || name === 'keep').map(({ id }) => id);
      const paged = shortSighted(table, filtered ? seen : limit + 2);

      const forth = await walk(paged, list, { limit: String(limit) });
      expect(idsIn(forth)).toEqual(wanted);
      for (const { ids, pagination } of forth) {
        expect(ids.length).toBeLessThanOrEqual(limit);
        if (ids.length > 0) expect(pagination.currentOffset).toBe(wanted.indexOf(ids[0] as never));
        expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
        expect(pagination.hasPrev).toBe(pagination.prevCursor !== null);
      }
      if (!filtered) expect(forth).toHaveLength(Math.max(1, Math.ceil(wanted.length / limit)));

      const last = forth.at(-1);
      const cursor = last?.pagination.prevCursor;
      expect(cursor !== null).toBe(forth.length > 1);
      if (!cursor) return;
      const back = await walk(paged, list, { limit: String(limit), cursor }, 'prevCursor');
      expect(idsIn(back.toReversed())).toEqual(wanted.slice(0, wanted.length - (last?.ids.length ?? 0)));
      expect(back.at(-1)?.pagination).toMatchObject({ hasPrev: false, currentOffset: 0 });
      // From a page without rows both ways lead to the rows on either side of it.
      for (const [pages, cursorName] of [
        [forth, 'prevCursor'],
        [[last, ...back].filter((page) => page !== undefined), 'nextCursor'],
      ] as const) {
        for (const [index, { ids, pagination }] of pages.entries()) {
          const turned = pagination[cursorName];
          if (ids.length > 0 || !turned) continue;
          const there = await walk(paged, list, { limit: String(limit), cursor: turned }, cursorName);
          expect(idsIn(there).toSorted()).toEqual(idsIn(pages.slice(0, index)).toSorted());
        }
      }
    }),
    { numRuns: 100 },
  );
}, 60_000);

test('rows present throughout are neither repeated nor lost when the list grows or shrinks between pages', async () => {
  const { table, source, newestFirst } = await insertNotes(Array(9).fill('keep'));
  const ids = newestFirst.map(({ id }) => id);
  const { rows, pagination } = await cursorPage(table, source, CursorQuery.parse({ limit: '3' }));
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  const [third, fifth] = [ids[2] ?? '', ids[4] ?? ''];
  await table.commit([
    table.writes.insert(noteEntity, { id: newId('record'), name: 'newer' }),
    // The page begins beside the third, which no longer is.
    table.writes.remove(noteEntity, { id: third }),
    table.writes.remove(noteEntity, { id: fifth }),
  ]);
  const rest = await walk(table, source, { limit: '3', cursor: pagination.nextCursor ?? '' });
  expect(idsIn(rest)).toEqual([ids[3], ...ids.slice(5)]);
});

test('any number of rows added before a page can be reached by paging back', async () => {
  const { table, source, newestFirst } = await insertNotes(Array(5).fill('keep'));
  const [first] = await walk(table, source, { limit: '3' });
  const second = await walk(table, source, { limit: '3', cursor: first?.pagination.nextCursor ?? '' });
  const newer = Array.from({ length: 8 }, () => ({ id: newId('record'), name: 'newer' }));
  await table.commit(newer.map((note) => table.writes.insert(noteEntity, note)));
  const cursor = second[0]?.pagination.prevCursor ?? '';
  const back = await walk(table, source, { limit: '3', cursor }, 'prevCursor');
  const before = [...newer.toReversed(), ...newestFirst.slice(0, 3)].map(({ id }) => id);
  expect(idsIn(back.toReversed())).toEqual(before);
  for (const { pagination } of back) expect(pagination.currentOffset).toBe(0);
});

test('a page costs one query whatever the list length, and a count another', async () => {
  const { table, commands, source } = await insertNotes(Array(60).fill('keep'));
  const page = (query: object) => () => cursorPage(table, source, CursorQuery.parse(query));
  expect(await commands(page({ limit: '5' }))).toEqual(['Query']);
  expect(await commands(page({ limit: '5', includeCount: 'true' }))).toEqual(['Query', 'Query']);
});

test('a count ends after 5,000 entries and says so, and costs the same however long the list is', async () => {
  const { table, units, source } = await insertNotes([]);
  const grow = async (count: number) => {
    const added = Array.from({ length: count }, () => ({ id: newId('record'), name: 'keep' }));
    for (const chunk of toChunks(added, 100))
      await table.commit(chunk.map((note) => table.writes.insert(noteEntity, note)));
  };
  const paged = () => cursorPage(table, source, CursorQuery.parse({ limit: '5', includeCount: 'true' }));
  await grow(5_000 - 1);
  expect((await paged()).pagination).toMatchObject({ totalCount: 4_999, countIsMinimum: false });
  await grow(2);
  expect((await paged()).pagination).toMatchObject({
    totalCount: 5_000,
    totalPages: 1_000,
    countIsMinimum: true,
  });
  const before = await units(paged);
  await grow(300);
  expect(await units(paged)).toBe(before);
});

test('a count of large entries ends after two Queries', async () => {
  const { table, commands, source } = await insertNotes([]);
  const large = () => ({ id: newId('record'), name: 'x'.repeat(100_000) });
  const count = async () =>
    (await cursorPage(table, source, CursorQuery.parse({ includeCount: 'true', limit: '1' }))).pagination;
  for (let added = 0; added < 25; added++) await table.commit([table.writes.insert(noteEntity, large())]);
  const { totalCount = 0, countIsMinimum } = await count();
  expect(countIsMinimum).toBe(true);
  expect(totalCount).toBeGreaterThan(15);
  expect(totalCount).toBeLessThan(25);
  expect(await commands(count)).toHaveLength(3);
});

test('a count returns the number of rows, the number of pages and the current page', async () => {
  const { table, source } = await insertNotes(['drop', ...Array(7).fill('keep')]);
  const counted = await walk(table, { ...source, filter: kept }, { limit: '3', includeCount: 'true' });
  expect(counted.map(({ pagination }) => pagination)).toMatchObject(
    [1, 2, 3].map((currentPage) => ({ totalCount: 7, totalPages: 3, currentPage, countIsMinimum: false })),
  );
});

test('a filtered page stops after ten queries and returns a cursor that continues from there', async () => {
  const { table, commands, source, newestFirst } = await insertNotes(['keep', ...Array(30).fill('drop')]);
  const list = { ...source, filter: kept };
  let first: Awaited<ReturnType<typeof cursorPage>> | undefined;
  const used = await commands(async () => {
    first = await cursorPage(shortSighted(table, 2), list, CursorQuery.parse({}));
  });
  expect(used).toHaveLength(10);
  expect(first).toMatchObject({ rows: [], pagination: { hasMore: true } });
  const cursor = first?.pagination.nextCursor ?? '';
  const second = await cursorPage(shortSighted(table, 2), list, CursorQuery.parse({ cursor }));
  expect(second.rows.map(({ id }) => id)).toEqual([newestFirst.at(-1)?.id]);
});

test('a filter that most rows pass costs little more than none, however long the list is', async () => {
  const { table, source } = await insertNotes(Array(60).fill('keep'));
  const limits: unknown[] = [];
  const counted: TenantTable = {
    ...table,
    walk: ({ perQuery, ...options }) => {
      const counted = (queries: number) => {
        limits.push(typeof perQuery === 'function' ? perQuery(queries) : perQuery);
        return limits.at(-1) as number;
      };
      return table.walk({ ...options, perQuery: counted });
    },
  };
  const pageOf = (filter: NonNullable<ListSource['filter']>, passesMost: boolean) =>
    cursorPage(counted, { ...source, filter, passesMost }, CursorQuery.parse({ limit: '5' }));
  await pageOf(kept, true);
  await pageOf({ expression: '#summary.#name = :none', values: { none: 'none' } }, true);
  await pageOf(kept, false);
  expect(limits).toEqual([28, 28, 1_000, 1_000]);
});

const asCursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const id = newId('record');

test.each([
  ['no base 64', '%%%'],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['no cursor', asCursor({})],
  ['an unknown direction', asCursor({ to: 'up', id, offset: 0 })],
  ['no id', asCursor({ to: 'next', id: 'T#other#tenant', offset: 0 })],
  ['an id of another list', asCursor({ to: 'next', id: newId('flow'), offset: 0 })],
  ['an offset beyond any list', asCursor({ to: 'next', id, offset: Number.MAX_SAFE_INTEGER })],
  ['an offset below 0', asCursor({ to: 'next', id, offset: -1 })],
  ['more than a cursor has', asCursor({ to: 'next', id, offset: 0, tenant: 'other' })],
])('a cursor that is %s is rejected with INVALID_CURSOR', async (_what, cursor) => {
  const { table, source } = await insertNotes([]);
  await expect(cursorPage(table, source, CursorQuery.parse({ cursor }))).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [{ path: 'cursor', code: 'INVALID_CURSOR' }],
  });
});

test('a direction must match the cursor; without a cursor, prev is rejected', async () => {
  const { table, source } = await insertNotes(['keep', 'keep']);
  const page = (query: object) => cursorPage(table, source, CursorQuery.parse({ limit: '1', ...query }));
  const cursor = (await page({})).pagination.nextCursor;
  expect((await page({ cursor, direction: 'next' })).rows).toHaveLength(1);
  for (const query of [{ cursor, direction: 'prev' }, { direction: 'prev' }]) {
    await expect(page(query)).rejects.toMatchObject({ code: 'VALIDATION', details: [{ path: 'direction' }] });
  }
});
