import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { countingRuntime, newTenant, stack } from '../../../support/stack/stack.ts';

const owner = { userId: 'user', organizationId: null };
const draft = (name: string, type = 'a') => ({ type, name, metadata: { name }, messages: null });
const firstPage = { limit: 50 };

async function counted() {
  const { tenant } = await newTenant();
  const runtime = countingRuntime();
  const records = recordStore(runtime.scopeOf(tenant));
  const commands = async (work: () => Promise<unknown>) => {
    runtime.reset();
    await work();
    return runtime.consumed.commands;
  };
  return { records, commands };
}

test('each operation sends the minimum number of requests', async () => {
  const { records, commands } = await counted();
  const { id } = await records.create(owner, draft('x'));
  for (const name of ['y', 'z']) await records.create(owner, draft(name, 'b'));
  const upsert = (name: string) => records.upsert({ ...owner, type: 'a', name, metadata: {} });

  expect(await commands(() => records.create(owner, draft('new')))).toEqual(['TransactWriteItems']);
  expect(await commands(() => records.get(id))).toEqual(['GetItem']);
  expect(await commands(() => records.list({}, firstPage))).toEqual(['Query', 'BatchGetItem']);
  expect(await commands(() => records.list({ type: 'b' }, firstPage))).toEqual(['Query', 'BatchGetItem']);
  expect(await commands(() => records.list({ type: 'a', name: 'x' }, firstPage))).toEqual([
    'GetItem',
    'BatchGetItem',
  ]);
  expect(await commands(() => records.update(id, { metadata: {} }))).toEqual(['UpdateItem']);
  expect(await commands(() => records.update(id, { name: 'x', metadata: {} }))).toEqual([
    'GetItem',
    'UpdateItem',
  ]);
  expect(await commands(() => records.update(id, { name: 'moved' }))).toEqual([
    'GetItem',
    'TransactWriteItems',
  ]);
  expect(await commands(() => upsert('other'))).toEqual(['GetItem', 'TransactWriteItems']);
  expect(await commands(() => upsert('other'))).toEqual(['GetItem', 'UpdateItem']);
  expect(await commands(() => records.remove(id))).toEqual(['GetItem', 'TransactWriteItems']);
});

test('a list of many records reads index entries and fetches only its page', async () => {
  const { records, commands } = await counted();
  await records.createMany(
    owner,
    Array.from({ length: 300 }, (_, n) => draft(`row ${n}`)),
  );
  expect(await commands(() => records.list({}, { limit: 10 }))).toEqual(['Query', 'BatchGetItem']);
  expect((await records.list({ search: 'ROW 29' }, { limit: 100 })).records.map(({ name }) => name)).toEqual([
    ...Array.from({ length: 10 }, (_, n) => `row ${299 - n}`),
    'row 29',
  ]);
});

test('twenty concurrent upserts of one pair create one record with the metadata of one of them', async () => {
  const { records } = await counted();
  const upserted = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      records.upsert({ ...owner, type: 'a', name: 'x', metadata: { n, twice: n } }),
    ),
  );
  expect(new Set(upserted.map(({ id }) => id)).size).toBe(1);
  const { records: all } = await records.list({}, firstPage);
  expect(all).toHaveLength(1);
  expect(all[0]?.metadata.n).toBe(all[0]?.metadata.twice);
  expect(all[0]?.revision).toBe(20);
});

test('an upsert replaces all metadata and keeps the messages', async () => {
  const { records } = await counted();
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const { id } = await records.create(owner, { ...draft('x'), messages });
  const after = await records.upsert({ ...owner, type: 'a', name: 'x', metadata: { other: 1 } });
  expect(after).toMatchObject({ id, metadata: { other: 1 }, messages });
});

test.each([
  ['a blank name', { name: '', metadata: {} }, 'name'],
  ['metadata over the limit', { name: 'x', metadata: { text: 'x'.repeat(300_000) } }, 'metadata'],
])('an upsert rejects %s', async (_, given, path) => {
  const { records } = await counted();
  await expect(records.upsert({ ...owner, type: 'a', ...given })).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [{ path }],
  });
});

test('concurrent upserts, renames and deletions of one pair leave at most one record for each pair', async () => {
  const { records } = await counted();
  const upsert = (name: string) => records.upsert({ ...owner, type: 'a', name, metadata: {} });
  const { id } = await upsert('x');
  await Promise.allSettled(
    Array.from({ length: 24 }, (_, n) =>
      [
        () => upsert('x'),
        () => records.update(id, { name: n % 2 ? 'x' : 'y' }),
        () => upsert('y'),
        () => records.remove(id),
      ][n % 4]?.(),
    ),
  );
  const { records: left } = await records.list({}, firstPage);
  const names = left.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const record of left) expect(await records.findId(record)).toBe(record.id);
  for (const name of ['x', 'y'].filter((each) => !names.includes(each))) {
    expect((await upsert(name)).name).toBe(name);
  }
});

/** A store with something between it and DynamoDB. */
async function storeThrough(intercept: (stack: DynamoDBClient['middlewareStack']) => void) {
  const { tenant } = await newTenant();
  const client = new DynamoDBClient({});
  intercept(client.middlewareStack);
  const table = tenantTable(documentClient(client), stack().table, tenant);
  return recordStore({ table, now: () => new Date(), newId });
}

const conflicted = () =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  });

test('many records are created once each and taken names reported, despite transaction conflicts', async () => {
  const refused = new Map<string, number>();
  // DynamoDB cancels transactions that meet; the local table never does.
  const records = await storeThrough((middleware) =>
    middleware.add((next, { commandName }) => async (sent) => {
      const what = JSON.stringify((sent.input as { TransactItems?: unknown }).TransactItems);
      const times = refused.get(what) ?? 0;
      refused.set(what, times + 1);
      if (commandName === 'TransactWriteItemsCommand' && times < 2) throw conflicted();
      return next(sent);
    }),
  );
  const drafts = Array.from({ length: 260 }, (_, n) => draft(`row ${n}`));
  const before = drafts.filter((_, n) => n % 7 === 0);
  await records.createMany(owner, before);

  const { created, taken } = await records.createMany(owner, drafts);

  expect(taken).toEqual(before);
  expect(created.map(({ name }) => name)).toEqual(
    drafts.filter((each) => !before.includes(each)).map(({ name }) => name),
  );
  const { pagination } = await records.list({}, { limit: 1, includeCount: 'true' });
  expect(pagination.totalCount).toBe(260);
});

test('large records are spread over several transactions', async () => {
  const { records, commands } = await counted();
  const metadata = { text: 'x'.repeat(250_000) };
  const drafts = Array.from({ length: 30 }, (_, n) => ({ ...draft(`large ${n}`), metadata }));
  const used = await commands(async () =>
    expect((await records.createMany(owner, drafts)).taken).toEqual([]),
  );
  expect(used).toEqual(['TransactWriteItems', 'TransactWriteItems', 'TransactWriteItems']);
});

test('a transaction whose response is lost is not treated as rejected', async () => {
  let lost = 0;
  const records = await storeThrough((middleware) =>
    middleware.add(
      (next, { commandName }) =>
        async (sent) => {
          const answer = await next(sent);
          if (commandName === 'TransactWriteItemsCommand' && lost++ === 0) {
            throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' });
          }
          return answer;
        },
      { step: 'finalizeRequest', priority: 'low' },
    ),
  );
  const { created, taken } = await records.createMany(owner, [draft('x'), draft('y')]);
  expect(lost).toBe(2);
  expect(created.map(({ name }) => name)).toEqual(['x', 'y']);
  expect(taken).toEqual([]);
});
