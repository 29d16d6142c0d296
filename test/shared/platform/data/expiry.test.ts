import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { conversationEntity } from '../../../../shared/domain/conversations/conversation.ts';
import type { AnyEntity } from '../../../../shared/platform/data/entity.ts';
import type { Key } from '../../../../shared/platform/data/keys.ts';
import { exists } from '../../../../shared/platform/data/writes.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from './notes.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** Every exported entity whose items may expire. */
async function expiringEntities(): Promise<AnyEntity[]> {
  const files = globSync('shared/**/*.ts', { cwd: root }).filter((file) =>
    /\b(?:defineEntity|versionEntity)\b/.test(readFileSync(resolve(root, file), 'utf8')),
  );
  const modules = await Promise.all(files.map((file) => import(resolve(root, file)) as Promise<object>));
  const exported = modules.flatMap((module) => Object.values(module) as Partial<AnyEntity>[]);
  return [...new Set(exported)].filter(
    (each): each is AnyEntity => !!each?.key && !!each.schema?.shape && 'ttl' in each.schema.shape,
  );
}

const textOf = (member: PropertyKey) =>
  member === 'id' ? 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn' : '2026-01-01T00:00:00.000Z';

/** An item of any entity: its keys are made of texts. */
const itemWith = (ttl: number) =>
  new Proxy({ ttl } as Record<string, unknown>, {
    get: (own, name) => (name in own ? Reflect.get(own, name) : textOf(name)),
    has: () => true,
  }) as { ttl: number };

const entities = await expiringEntities();

test('most kinds of items that expire are among those that are looked at', () => {
  expect(entities.length).toBeGreaterThan(25);
});

test.each(entities.map((entity) => [entity.type, entity] as const))(
  'an expired %s is absent from every read, count and condition at once',
  async (_type, entity) => {
    const { table } = countingRuntime().scopeOf(newTenantName());
    const seconds = Math.floor(Date.now() / 1_000);
    const { PK1, PK2 } = entity.index?.(itemWith(seconds)) ?? {};
    const key: Key = entity.key(itemWith(seconds));
    const places = [
      { partition: key.PK },
      ...(PK1 ? [{ partition: PK1, index: 1 as const }] : []),
      ...(PK2 ? [{ partition: PK2, index: 2 as const }] : []),
    ];
    const seen = async () => ({
      byKey: (await table.getMany([key])).filter(Boolean).length,
      listed: await Promise.all(places.map(async (place) => (await ownOf(place)).length)),
      counted: await Promise.all(places.map((place) => table.count(place))),
    });
    // Some partitions are shared by all tenants.
    const isShared = places.map(({ partition }) => partition.isShared);
    const ownOf = async (place: (typeof places)[number]) =>
      (await table.queryAll(place)).filter(({ PK, SK }) => SK === key.SK && PK.endsWith(key.PK.name));
    const each = (count: number) => ({
      byKey: count,
      listed: places.map(() => count),
      counted: isShared.map((shared) => (shared ? expect.any(Number) : count)),
    });
    await table.commit([table.writes.put(entity, itemWith(seconds + 100))]);
    expect(await seen()).toEqual(each(1));
    await expect(table.commit([table.writes.insert(entity, itemWith(seconds + 100))])).rejects.toThrow();

    await table.commit([table.writes.put(entity, itemWith(seconds))]);
    expect(await seen()).toEqual(each(0));
    const touched = table.writes.check(entity, itemWith(seconds), exists);
    await expect(table.commit([touched])).rejects.toThrow();
    await table.commit([table.writes.insert(entity, itemWith(seconds + 100))]);
    expect(await seen()).toEqual(each(1));
    await table.removeAll([key]);
  },
);

test('an index learns of an expiry that changes; a deletion removes expired items too', async () => {
  const { table } = countingRuntime().scopeOf(newTenantName());
  const seconds = Math.floor(Date.now() / 1_000);
  const id = `conv_${'0'.repeat(26)}`;
  const item = itemWith(seconds + 100);
  Object.assign(item, { id });
  await table.commit([table.writes.put(conversationEntity, item as never)]);
  const { PK1: partition } = conversationEntity.index?.({ id } as never) ?? {};
  if (!partition) throw new Error('Conversations are listed');
  const listed = async () => (await table.queryAll({ partition, index: 1 })).length;
  const change = (changes: object) =>
    table.commit([table.writes.update(conversationEntity, { id }, changes as never)]);
  expect(await listed()).toBe(1);
  await change({ set: { ttl: seconds } });
  expect(await listed()).toBe(0);
  await change({ remove: ['ttl'] });
  expect(await listed()).toBe(1);
  await change({ set: { ttl: seconds } });
  await table.removeRange({ partition: conversationEntity.key({ id }).PK });
  const later = table.at(() => new Date(0));
  expect(await later.queryAll({ partition, index: 1 })).toEqual([]);
});

test('the clock of the table decides', async () => {
  const { table } = countingRuntime().scopeOf(newTenantName());
  const id = `conv_${'0'.repeat(26)}`;
  const item = { id, revision: 1, ttl: 1_000_000 } as never;
  await table.commit([table.writes.put(conversationEntity, item)]);
  const key = conversationEntity.key({ id });
  const at = async (ms: number) => (await table.at(() => new Date(ms)).getMany([key])).filter(Boolean).length;
  expect([await at(999_999_000), await at(1_000_000_000)]).toEqual([1, 0]);
});
