import { expect, test } from 'vitest';
import type { FlowRecord, RecordSelector } from '../../../../shared/adapters/ports/records-port.ts';
import { deriveId, type NewId } from '../../../../shared/core/ids.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { findRecord, recordsPort } from '../../../../shared/domain/records/records-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { byClock, countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const owner = { userId: 'user', organizationId: null };

/** A tenant's records, a port to them, and a clock that goes on a second with each look. */
async function world() {
  const { tenant } = await newTenant();
  const runtime = countingRuntime();
  let at = Date.parse('2026-03-01T00:00:00Z') / 1_000;
  const newId: NewId = (prefix) => deriveId(prefix, at * 1_000, String(at++)) as never;
  const scope = { ...byClock(runtime.scopeOf(tenant), () => new Date(at++ * 1_000)), newId };
  const store = recordStore(scope);
  const create = (name: string, metadata: Record<string, unknown> = {}, type = 'customer') =>
    store.create(owner, { type, name, metadata, messages: null });
  return {
    scope,
    port: recordsPort(scope, owner),
    store,
    create,
    consumed: runtime.consumed,
    reset: runtime.reset,
  };
}

const gold = { type: 'customer', filter: { field: 'tier', op: 'eq' as const, value: 'gold' } };

test('finds a record by its id, by its type and name, and by a filter', async () => {
  const { port, create } = await world();
  const { id } = await create('Ada', { tier: 'gold' });
  await create('Bob', { tier: 'silver' });
  const ada: FlowRecord = {
    id,
    type: 'customer',
    name: 'Ada',
    metadata: { tier: 'gold' },
    createdAt: '2026-03-01T00:00:00.000Z',
    updatedAt: '2026-03-01T00:00:00.000Z',
  };
  const selectors: RecordSelector[] = [{ id }, { type: 'customer', name: 'Ada' }, gold];
  for (const selector of selectors) expect(await port.find(selector)).toEqual(ada);
});

test('returns nothing if there is no match', async () => {
  const { port, create, store } = await world();
  const { id } = await create('Ada', {}, 'other');
  await store.remove(id);
  for (const selector of [{ id }, { type: 'other', name: 'Ada' }, gold, { type: 'other' }]) {
    expect(await port.find(selector)).toBeUndefined();
    expect(await port.update(selector, {}, 'merge')).toBeUndefined();
  }
});

test('a record of another tenant does not exist, for any selector', async () => {
  const [mine, theirs] = [await world(), await world()];
  const { id } = await theirs.create('Ada', { tier: 'gold' });
  for (const selector of [{ id }, { type: 'customer', name: 'Ada' }, gold]) {
    expect(await mine.port.find(selector)).toBeUndefined();
    expect(await mine.port.update(selector, { stolen: true }, 'merge')).toBeUndefined();
  }
  expect((await theirs.store.get(id)).metadata).toEqual({ tier: 'gold' });
});

test('of all matching records it returns the most recently changed one, across pages', async () => {
  const { port, store, create } = await world();
  const first = await create('first', { tier: 'gold' });
  await store.createMany(
    owner,
    Array.from({ length: 450 }, (_, n) => ({
      type: 'customer',
      name: `n ${n}`,
      messages: null,
      metadata: { tier: n % 2 ? 'gold' : 'silver' },
    })),
  );
  expect((await port.find(gold))?.name).toMatch(/^n \d+$/);
  await store.update(first.id, { metadata: { tier: 'gold', changed: true } });
  expect((await port.find(gold))?.name).toBe('first');
});

test('a filter reads no more records than its limit, and the error says so', async () => {
  const { scope, create } = await world();
  for (const name of ['a', 'b', 'c']) await create(name);
  expect(await findRecord(scope, 3)(gold)).toBeUndefined();
  await expect(findRecord(scope, 2)(gold)).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [{ message: expect.stringContaining('more than 2 records of the type "customer"') }],
  });
});

test.each([
  ['merge', { a: { c: 2 }, list: [9], gone: null }, { a: { c: 2 }, list: [9], gone: null, kept: 1 }],
  ['replace', { a: { c: 2 } }, { a: { c: 2 } }],
  [
    'deep-merge',
    { a: { c: 2, d: null }, list: [9], gone: null, new: { x: null, y: 1 } },
    { a: { b: 1, c: 2 }, list: [9], kept: 1, new: { y: 1 } },
  ],
] as const)('%s', async (strategy, updates, metadata) => {
  const { port, store, create } = await world();
  const { id, createdAt } = await create('Ada', { a: { b: 1, d: 5 }, list: [1, 2], gone: 'x', kept: 1 });
  await store.update(id, { messages: [{ role: 'user', content: 'Hello' }] });
  const after = await port.update({ id }, updates, strategy);
  expect(after).toEqual({
    id,
    type: 'customer',
    name: 'Ada',
    createdAt,
    metadata,
    updatedAt: expect.not.stringMatching(createdAt),
  });
  expect(await store.get(id)).toMatchObject({ ...after, messages: [{ role: 'user', content: 'Hello' }] });
});

test('concurrent writers lose no changes', async () => {
  const { port, create, store } = await world();
  const { id } = await create('Ada', { tier: 'gold' });
  const selectors: RecordSelector[] = [{ id }, { type: 'customer', name: 'Ada' }, gold];
  await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      port.update(selectors[n % 3] as RecordSelector, { counts: { [`n${n}`]: n } }, 'deep-merge'),
    ),
  );
  expect(Object.keys((await store.get(id)).metadata.counts as object)).toHaveLength(30);
});

test('does not change a record that stops matching the filter meanwhile', async () => {
  const { scope, create, store } = await world();
  const { id } = await create('Ada', { tier: 'gold' });
  const getLazily: typeof scope.table.getLazily = async (...asked) => {
    const found = await scope.table.getLazily(...asked);
    await store.update(id, { metadata: { tier: 'silver' } });
    return found;
  };
  const port = recordsPort({ ...scope, table: { ...scope.table, getLazily } }, owner);
  expect(await port.update(gold, { discount: 10 }, 'merge')).toBeUndefined();
  expect((await store.get(id)).metadata).toEqual({ tier: 'silver' });
});

test('rejects metadata over the limits, and writes nothing', async () => {
  const { port, create, store } = await world();
  const { id } = await create('Ada', { text: 'x'.repeat(200_000) });
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 5_000; level++) deep = { deep };
  const large = await stepFailure(port.update({ id }, { more: 'x'.repeat(100_000) }, 'merge'));
  expect(large).toMatchObject({
    message: expect.stringMatching(/^The record was rejected: The metadata may have at most 262144 bytes/),
    retryable: false,
  });
  const nested = await stepFailure(port.update({ id }, deep, 'deep-merge'));
  expect(nested.message).toBe('The record was rejected: The metadata may be nested at most 100 levels deep');
  expect((await store.get(id)).revision).toBe(1);
});

test('each operation sends the minimum number of requests', async () => {
  const { port, create, consumed, reset } = await world();
  const { id } = await create('Ada', { tier: 'gold' });
  const commands = async (work: () => Promise<unknown>) => {
    reset();
    await work();
    return consumed.commands;
  };
  expect(await commands(() => port.find({ id }))).toEqual(['BatchGetItem']);
  expect(await commands(() => port.find({ type: 'customer', name: 'Ada' }))).toEqual([
    'GetItem',
    'BatchGetItem',
  ]);
  expect(await commands(() => port.find(gold))).toEqual(['Query', 'BatchGetItem']);
  expect(await commands(() => port.update({ id }, { a: 1 }, 'merge'))).toEqual([
    'BatchGetItem',
    'UpdateItem',
  ]);
});
