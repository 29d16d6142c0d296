import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { ConditionFailed } from '../../../../shared/platform/data/condition-failed.ts';
import { tenantPartition, toStoredKey } from '../../../../shared/platform/data/keys.ts';
import { type FirstItems, type TenantTable, tenantTable } from '../../../../shared/platform/data/table.ts';
import type { Changes } from '../../../../shared/platform/data/writes.ts';
import {
  brokenTable,
  cancelled,
  outage,
  throttled,
  unreachable,
} from '../../../support/data/broken-table.ts';
import { stack } from '../../../support/stack/stack.ts';
import { newTenantName, noteEntity, notes } from './notes.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const read = (table: TenantTable, id: string) => table.get(noteEntity, { id }, { consistent: true });
const keyOf = (id: string) => noteEntity.key({ id });
const insert = ({ writes }: TenantTable, id: string) => writes.insert(noteEntity, { id, name: id });

test('a read returns the item as written, without storage attributes and undefined fields', async () => {
  const { table } = notes();
  const note = { id: 'a', name: 'n', size: 7, list: [1, { deep: [null, ''] }] };
  await table.commit([table.writes.put(noteEntity, { ...note, status: undefined } as typeof note)]);
  expect(await read(table, 'a')).toEqual(note);
  expect(await read(table, 'b')).toBeUndefined();
});

test('tenants with the same keys do not see each other’s items', async () => {
  const [one, other] = [notes().table, notes().table];
  await one.commit([insert(one, 'a')]);
  await other.commit([other.writes.insert(noteEntity, { id: 'a', name: 'other' })]);
  await one.commit([one.writes.remove(noteEntity, { id: 'a' })]);
  expect(await read(other, 'a')).toEqual({ id: 'a', name: 'other' });
});

test('an update sets, sets if absent, adds and removes, including in the summary and for reserved names', async () => {
  const { table } = notes();
  await table.commit([table.writes.put(noteEntity, { id: 'a', name: 'n', status: 'old', list: [1] })]);
  const change = () =>
    table.writes.update(
      noteEntity,
      { id: 'a' },
      { set: { name: 'new' }, setOnce: { status: 'kept out' }, add: { size: 2 }, remove: ['list'] },
      { expression: '#status = :status0', values: { status0: 'old' } },
    );
  await table.commit([change()]);
  expect(await table.updateAndGet(noteEntity, change())).toEqual({
    id: 'a',
    name: 'new',
    status: 'old',
    size: 4,
  });
});

test('an update ignores undefined fields and accepts only fields of its entity', async () => {
  const { table } = notes();
  const { update } = table.writes;
  await table.commit([table.writes.put(noteEntity, { id: 'a', name: 'n', status: 'old' })]);
  await table.commit([update(noteEntity, { id: 'a' }, { set: { name: undefined, status: 'new' } })]);
  expect(await read(table, 'a')).toEqual({ id: 'a', name: 'n', status: 'new' });
  // What the compiler refuses: it checks this file as well.
  const refused = () => [
    // @ts-expect-error: no such field
    update(noteEntity, { id: 'a' }, { set: { nmae: 'x' } }),
    // @ts-expect-error: not a number
    update(noteEntity, { id: 'a' }, { set: { size: 'large' } }),
    // @ts-expect-error: the attributes of an index have members of their own
    update(noteEntity, { id: 'a' }, { set: { SK1: 'x' } }),
    // @ts-expect-error: a text is not added to
    update(noteEntity, { id: 'a' }, { add: { name: 1 } }),
    // @ts-expect-error: without its name a note could not be read
    update(noteEntity, { id: 'a' }, { remove: ['name'] }),
  ];
  expect(refused()).toHaveLength(5);
});

test('an update adds an item to an index, moves it within the index and removes it', async () => {
  const { table } = notes();
  const change = (changes: Changes<typeof noteEntity>) =>
    table.commit([table.writes.update(noteEntity, { id: 'a' }, changes)]);
  const placeOf = async () => (await table.getMany([keyOf('a')], { consistent: true }))[0]?.SK2;
  const at = (SK2: string) => ({ PK2: tenantPartition('BY_NAME'), SK2 });
  await table.commit([insert(table, 'a')]);
  await change({ index: at('b') });
  expect(await placeOf()).toBe('b');
  await change({ index: at('c') });
  expect(await placeOf()).toBe('c');
  await change({ removeFromIndex: 2 });
  expect(await placeOf()).toBeUndefined();
});

test('several writes commit together in one command', async () => {
  const { table, commands } = notes();
  await table.commit([insert(table, 'gone'), insert(table, 'kept')]);
  const used = await commands(() =>
    table.commit([
      insert(table, 'new'),
      table.writes.remove(noteEntity, { id: 'gone' }),
      table.writes.update(noteEntity, { id: 'changed' }, { set: { size: 1 } }),
      table.writes.check(noteEntity, { id: 'kept' }, { expression: 'attribute_exists(PK)' }),
    ]),
  );
  expect(used).toEqual(['TransactWriteItems']);
  expect(await table.getMany(['new', 'gone', 'changed'].map(keyOf))).toMatchObject([
    { id: 'new' },
    undefined,
    { size: 1 },
  ] as object[]);
});

test('a single write does not use a transaction, which would cost twice as much', async () => {
  const { table, commands } = notes();
  const { writes } = table;
  const exists = { expression: 'attribute_exists(PK)' };
  expect(await commands(() => table.commit([insert(table, 'a')]))).toEqual(['PutItem']);
  expect(
    await commands(() =>
      table.commit([writes.update(noteEntity, { id: 'a' }, { add: { size: 1 } }, exists)]),
    ),
  ).toEqual(['UpdateItem']);
  expect(await commands(() => table.commit([writes.remove(noteEntity, { id: 'a' }, exists)]))).toEqual([
    'DeleteItem',
  ]);
});

test.each([
  [
    'an insert of what is there',
    ({ writes }: TenantTable) => writes.insert(noteEntity, { id: 'a', name: 'x' }),
  ],
  [
    'a put',
    ({ writes }: TenantTable) =>
      writes.put(noteEntity, { id: 'a', name: 'x' }, { expression: 'attribute_exists(#size)' }),
  ],
  [
    'an update',
    ({ writes }: TenantTable) =>
      writes.update(
        noteEntity,
        { id: 'a' },
        { set: { name: 'x' } },
        { expression: '#size = :old', values: { old: 9 } },
      ),
  ],
  [
    'a removal',
    ({ writes }: TenantTable) =>
      writes.remove(noteEntity, { id: 'a' }, { expression: '#summary.#name = :name', values: { name: 'x' } }),
  ],
])('%s whose condition is false fails and changes nothing', async (_what, write) => {
  const { table } = notes();
  await table.commit([insert(table, 'a')]);
  await expect(table.commit([write(table)])).rejects.toMatchObject({
    constructor: ConditionFailed,
    failed: [0],
  });
  expect(await read(table, 'a')).toEqual({ id: 'a', name: 'a' });
});

test('a failed transaction reports which conditions failed and writes nothing', async () => {
  const { table } = notes();
  await table.commit([insert(table, 'b'), insert(table, 'd')]);
  const committing = table.commit(['a', 'b', 'c', 'd'].map((id) => insert(table, id)));
  await expect(committing).rejects.toMatchObject({ constructor: ConditionFailed, failed: [1, 3] });
  expect([await read(table, 'a'), await read(table, 'c')]).toEqual([undefined, undefined]);
});

test('a rejected update returns the stored item on request', async () => {
  const { table } = notes();
  await table.commit([insert(table, 'a')]);
  const refused = table.updateAndGet(
    noteEntity,
    table.writes.update(
      noteEntity,
      { id: 'a' },
      { set: { size: 1 } },
      { expression: 'attribute_exists(#size)' },
    ),
  );
  await expect(refused).rejects.toMatchObject({ failed: [0], item: { id: 'a', summary: { name: 'a' } } });
});

/** Commits three inserts, or one, while the first requests are refused. */
async function commitThrough(refusals: (() => Error)[], count = 3, patience?: AbortSignal) {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  let requests = 0;
  const table = brokenTable(
    newTenantName(),
    {
      before(command) {
        const refusal = ['TransactWriteItems', 'PutItem'].includes(command) && refusals[requests++];
        if (refusal) throw refusal();
      },
    },
    patience,
  );
  const ids = ['a', 'b', 'c'].slice(0, count);
  const outcome = await table.commit(ids.map((id) => insert(table, id))).then(
    () => 'done',
    (error: Error) => error,
  );
  const stored = await table.getMany(ids.map(keyOf), { consistent: true });
  return { outcome, requests, stored: stored.filter((item) => item !== undefined).length };
}

const times = (count: number, refusal: () => Error) => Array.from({ length: count }, () => refusal);
const refusing = (name: string) => () => Object.assign(new Error('busy'), { name, $metadata: {} });
const conflict = () => cancelled('None', 'TransactionConflict', 'None');

test.each([
  ['a conflict with another transaction', conflict, 3, 3],
  [
    'throttling of one of the writes',
    () => cancelled('ThrottlingError', 'None', 'TransactionConflict'),
    3,
    3,
  ],
  ['throttling of a transaction', throttled, 6, 3],
  ['throttling of a single write', throttled, 6, 1],
  [
    'too much for the capacity of one of the writes',
    () => cancelled('ProvisionedThroughputExceeded', 'None', 'None'),
    2,
    3,
  ],
  // More often than the SDK tries by itself.
  ['too much for the capacity of the table', refusing('ProvisionedThroughputExceededException'), 6, 1],
  ['too much for the account', refusing('RequestLimitExceeded'), 6, 1],
  [
    'a transaction in the way of a single write',
    () => new TransactionConflictException({ message: 'busy', $metadata: {} }),
    2,
    1,
  ],
])('%s is retried until it ends', async (_what, refusal, count, writes) => {
  expect(await commitThrough(times(count, refusal), writes)).toEqual({
    outcome: 'done',
    requests: count + 1,
    stored: writes,
  });
});

test('persistent contention fails with the DynamoDB error after the last retry', async () => {
  const { outcome, requests, stored } = await commitThrough(times(99, conflict));
  expect(outcome).toMatchObject({ name: 'TransactionCanceledException' });
  expect(requests).toBe(9);
  expect(stored).toBe(0);
});

test.each([
  ['that fails by itself', outage],
  ['that cannot be reached', unreachable],
  ['that throttles', throttled],
])('only callers with patience keep retrying a DynamoDB %s', async (_what, refusal) => {
  const patience = AbortSignal.timeout(60_000);
  expect(await commitThrough(times(40, refusal), 3, patience)).toMatchObject({ outcome: 'done', stored: 3 });
  expect((await commitThrough(times(40, refusal))).stored).toBe(0);
});

test('patience ends at its timeout and does not retry permanent failures', async () => {
  expect((await commitThrough(times(40, outage), 3, AbortSignal.abort())).outcome).toMatchObject({
    name: 'InternalServerError',
  });
  const refused = () => cancelled('None', 'ConditionalCheckFailed', 'None');
  const patience = AbortSignal.timeout(60_000);
  expect(await commitThrough([refused], 3, patience)).toMatchObject({
    outcome: { failed: [1] },
    requests: 1,
  });
});

test('failed conditions and permanent faults are not retried', async () => {
  const mixed = await commitThrough([
    () => cancelled('None', 'ConditionalCheckFailed', 'TransactionConflict'),
  ]);
  expect(mixed).toMatchObject({ outcome: { failed: [1] }, requests: 1, stored: 0 });
  for (const fault of [
    refusing('ResourceNotFoundException')(),
    cancelled('None', 'ValidationError'),
    cancelled(),
  ])
    expect(await commitThrough([() => fault])).toMatchObject({ outcome: fault, requests: 1, stored: 0 });
});

test('concurrent updates all succeed, each exactly once', async () => {
  const { table } = notes();
  const add = () => table.commit([table.writes.update(noteEntity, { id: 'sum' }, { add: { size: 1 } })]);
  await Promise.all(Array.from({ length: 30 }, add));
  expect((await table.getMany([keyOf('sum')], { consistent: true }))[0]).toMatchObject({ size: 30 });
});

const ids = (count: number) => Array.from({ length: count }, (_, n) => `note ${String(n).padStart(4, '0')}`);

async function withNotes(count: number) {
  const world = notes();
  const { table } = world;
  for (let start = 0; start < count; start += 100) {
    await table.commit(
      ids(count)
        .slice(start, start + 100)
        .map((id) => insert(table, id)),
    );
  }
  return world;
}

test('getMany returns items in the requested order, with gaps and repeats, and reads 100 keys per request', async () => {
  const { table, commands } = await withNotes(230);
  const wanted = ['missing', ...ids(230).toReversed(), 'note 0007', 'missing'];
  let found: unknown[] = [];
  const used = await commands(async () => {
    found = await table.getMany(wanted.map(keyOf));
  });
  expect(used).toEqual(['BatchGetItem', 'BatchGetItem', 'BatchGetItem']);
  expect(found.map((item) => (item as { id?: string } | undefined)?.id ?? 'missing')).toEqual(wanted);
  expect(await commands(() => table.getMany([]))).toEqual([]);
});

test('removeAll deletes 25 keys per request, whether or not the items exist', async () => {
  const { table, all, commands } = await withNotes(60);
  const gone = [...ids(60).slice(0, 55), 'missing'].map(keyOf);
  expect(await commands(() => table.removeAll(gone))).toEqual(Array(3).fill('BatchWriteItem'));
  expect((await table.queryAll({ ...all, consistent: true })).map(({ SK }) => SK)).toEqual(ids(60).slice(55));
});

/** A client whose batches do no more than ten of what they are asked, as DynamoDB's may. */
function hesitantClient() {
  const client = documentClient();
  const send = client.send.bind(client) as (command: object) => Promise<Record<string, unknown>>;
  const hesitant = async (command: { input: { RequestItems: Record<string, Batch> } }) => {
    const [name, batch] = Object.entries(command.input.RequestItems)[0] as [string, Batch];
    const left = Array.isArray(batch) ? batch.splice(10) : batch.Keys.splice(10);
    const answer = await send(command);
    if (left.length === 0) return answer;
    if (Array.isArray(batch)) answer.UnprocessedItems = { [name]: left };
    else answer.UnprocessedKeys = { [name]: { Keys: left } };
    return answer;
  };
  return Object.assign(client, { send: vi.fn(hesitant) });
}
type Batch = unknown[] | { Keys: unknown[] };

test('unprocessed batch items are retried until none remain', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const { tenant } = await withNotes(40);
  const client = hesitantClient();
  const table = tenantTable(client as DynamoDBDocumentClient, stack().table, tenant);
  const keys = ids(40).map(keyOf);
  await table.removeAll(keys);
  client.send.mockClear();
  await table.insertAll(ids(40).map((id) => insert(table, id)));
  expect(client.send).toHaveBeenCalledTimes(3 + 2);
  client.send.mockClear();
  expect((await table.getMany(keys)).map((item) => item?.id)).toEqual(ids(40));
  expect(client.send).toHaveBeenCalledTimes(4);
  await table.removeAll(keys);
  expect(client.send).toHaveBeenCalledTimes(4 + 3 + 2);
  expect(await table.getMany(keys)).toEqual(Array(40).fill(undefined));
});

test('a query reads a range of a partition in either direction, with inclusive bounds', async () => {
  const { table, all } = await withNotes(9);
  const sortKeys = async (options: object, count = 100) =>
    (await table.first(count, { ...all, ...options })).items.map(({ SK }) => SK.slice(-1)).join('');
  expect(await sortKeys({})).toBe('012345678');
  expect(await sortKeys({ newestFirst: true })).toBe('876543210');
  expect(await sortKeys({ from: 'note 0003' })).toBe('345678');
  expect(await sortKeys({ to: 'note 0003' })).toBe('0123');
  expect(await sortKeys({ from: 'note 0003', to: 'note 0005', newestFirst: true })).toBe('543');
  expect(await sortKeys({ newestFirst: true }, 2)).toBe('87');
  expect(await sortKeys({ partition: tenantPartition('BY_NAME'), index: 2, from: 'note 0007' })).toBe('78');
  expect(
    await sortKeys({ filter: { expression: '#summary.#name = :name', values: { name: 'note 0004' } } }),
  ).toBe('4');
});

test('an empty range returns nothing and sends no request', async () => {
  const { table, all, commands } = await withNotes(2);
  const range = { ...all, from: 'z', to: 'a' };
  expect(
    await commands(async () => {
      expect(await table.first(1, range)).toEqual({ items: [], isCut: false });
      expect(await table.count(range)).toBe(0);
    }),
  ).toEqual([]);
});

test('equal bounds match the item at that key', async () => {
  const { table, all } = await withNotes(3);
  const range = { ...all, from: 'note 0001', to: 'note 0001' };
  expect(await table.queryAll(range)).toMatchObject([{ SK: 'note 0001' }]);
  expect(await table.count(range)).toBe(1);
});

test('a query continues where the previous page ended', async () => {
  const { table, all } = await withNotes(7);
  const pages = await Array.fromAsync(table.walk({ ...all, perQuery: 3 }));
  expect(pages.map(({ items }) => items.map(({ SK }) => SK))).toEqual([
    ids(7).slice(0, 3),
    ids(7).slice(3, 6),
    ids(7).slice(6),
  ]);
  expect(pages.map(({ readTo }) => readTo)).toEqual([ids(7)[2], ids(7)[5], undefined]);
});

test('the first items are as many as asked for, although pages end early and a filter empties them', async () => {
  const { table, all, commands } = notes();
  const text = 'x'.repeat(300_000);
  for (const id of ids(9)) await table.commit([table.writes.put(noteEntity, { id, name: id, status: text })]);
  const isLate = { expression: '#id > :id', values: { id: 'note 0004' } };
  let first: FirstItems | undefined;
  const used = await commands(async () => {
    first = await table.first(3, { ...all, filter: isLate });
  });
  expect(first?.items.map(({ SK }) => SK)).toEqual(ids(9).slice(5, 8));
  expect(first?.isCut).toBe(true);
  expect(used.length).toBeGreaterThan(1);
  expect(await table.first(5, { ...all, filter: isLate })).toMatchObject({
    items: { length: 4 },
    isCut: false,
  });
});

test('count and queryAll read the whole range, beyond the 1 MB limit of one query', async () => {
  const { table, all, commands } = notes();
  const text = 'x'.repeat(350_000);
  for (const id of ids(8)) await table.commit([table.writes.put(noteEntity, { id, name: id, status: text })]);
  let counted = 0;
  const used = await commands(async () => {
    counted = await table.count({ ...all, to: 'note 0006' });
  });
  expect(counted).toBe(7);
  expect(used.length).toBeGreaterThan(1);
  const read = await table.queryAll({ ...all, to: 'note 0006' });
  expect(read.map(({ SK }) => SK)).toEqual(ids(7));
});

test('consistent reads return the latest write and cost twice as much', async () => {
  const { table, all, units } = await withNotes(1);
  const [id = ''] = ids(1);
  for (const consistent of [false, true]) {
    const expected = consistent ? 1 : 0.5;
    expect(await units(() => table.get(noteEntity, { id }, { consistent }))).toBe(expected);
    expect(await units(() => table.getMany([keyOf(id)], { consistent }))).toBe(expected);
    expect(await units(() => table.first(1, { ...all, consistent }))).toBe(expected);
    expect(await units(() => table.queryAll({ ...all, consistent }))).toBe(expected);
  }
});

test('keys whose concatenations are equal stay distinct', async () => {
  const { table, tenant } = notes();
  const keys = [
    { PK: tenantPartition('A'), SK: 'BC' },
    { PK: tenantPartition('AB'), SK: 'C' },
  ];
  const stored = keys.map((key) => toStoredKey(tenant, key));
  await table.commit(stored.map((key) => ({ Put: { Item: { ...key } } })));
  expect(await table.getMany(keys)).toEqual(stored);
});
