import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { markUsed } from '../../../../shared/platform/data/mark-used.ts';
import { notes } from './notes.ts';

const lampEntity = defineEntity({
  type: 'lamp',
  noun: 'LED lamp',
  schema: z.object({
    id: z.string(),
    color: z.string(),
    revision: z.int(),
    lastUsedAt: z.string().nullable(),
  }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('LAMPS'), SK: id }),
});

type Lamp = z.infer<typeof lampEntity.schema>;

const lamp: Lamp = { id: 'a', color: 'red', revision: 1, lastUsedAt: null };
const missing = { code: 'NOT_FOUND', message: 'LED lamp not found' };

async function lamps() {
  const { table, commands } = notes();
  await table.commit([table.writes.insert(lampEntity, lamp)]);
  const current = () => table.get(lampEntity, lamp, { consistent: true });
  return { table, commands, current };
}

test('an item that a caller names is found with one read, or is a 404 that names its kind', async () => {
  const { table, commands } = await lamps();
  expect(await commands(() => table.find(lampEntity, lamp))).toEqual(['GetItem']);
  expect(await table.find(lampEntity, lamp)).toEqual(lamp);
  await expect(table.find(lampEntity, { id: 'b' })).rejects.toMatchObject(missing);
});

test('a change of a named item is a 404 without it, and a 409 that says what to do after conflicts', async () => {
  const { table, current } = await lamps();
  const paint = (item: Lamp) => ({ put: { ...item, color: 'blue' } });
  expect(await table.change(lampEntity, lamp, paint)).toMatchObject({ color: 'blue', revision: 2 });
  await expect(table.change(lampEntity, { id: 'b' }, paint)).rejects.toMatchObject(missing);
  const paintLate = async (item: Lamp) => {
    await table.commit([table.writes.update(lampEntity, lamp, { add: { revision: 1 } })]);
    return paint({ ...item, color: 'green' });
  };
  await expect(table.change(lampEntity, lamp, paintLate, { attempts: 2 })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'The LED lamp was changed by another request at the same time; read it again and retry',
  });
  expect(await current()).toMatchObject({ color: 'blue', revision: 4 });
});

test('uses are marked at most once a minute, and never for an item that is gone', async () => {
  const { table, commands, current } = await lamps();
  const clock = { at: Date.parse('2030-01-01T00:00:00.000Z') };
  const scope = { table, now: () => new Date(clock.at) };
  const use = async () => {
    const item = (await current()) ?? lamp;
    return commands(() => markUsed(scope, lampEntity, item, 'lastUsedAt'));
  };
  expect(await use()).toEqual(['UpdateItem']);
  expect(await current()).toEqual({ ...lamp, revision: 2, lastUsedAt: '2030-01-01T00:00:00.000Z' });
  clock.at += 59_999;
  expect(await use()).toEqual([]);
  clock.at += 1;
  expect(await use()).toEqual(['UpdateItem']);
  await table.commit([table.writes.remove(lampEntity, lamp)]);
  await use();
  expect(await current()).toBeUndefined();
});
