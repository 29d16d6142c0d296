import { expect, test } from 'vitest';
import * as z from 'zod';
import { ConditionFailed } from '../../../../shared/platform/data/condition-failed.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { notes } from './notes.ts';

const accountEntity = defineEntity({
  type: 'account',
  schema: z.object({ id: z.string(), text: z.string(), balance: z.int(), revision: z.int() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('ACCOUNTS'), SK: id }),
});
type Account = z.infer<typeof accountEntity.schema>;

const key = { id: 'a' };
const account = (more: Partial<Account> = {}): Account => ({
  ...key,
  text: 'x',
  balance: 0,
  revision: 1,
  ...more,
});

async function world() {
  const { table, commands } = notes();
  const { writes } = table;
  await table.commit([writes.insert(accountEntity, account())]);
  const stored = () => table.get(accountEntity, key, { consistent: true });
  const byOther = () =>
    table.commit([writes.update(accountEntity, key, { set: { text: 'theirs' }, add: { revision: 1 } })]);
  const options = { consistent: true };
  return { table, writes, commands, stored, byOther, options };
}

test('modify reads an item, applies the decision, writes it and increments the revision', async () => {
  const { table, commands, stored, options } = await world();
  const replaced = (before: Account) => ({ put: { ...before, balance: 5 } });
  expect(await commands(() => table.modify(accountEntity, key, replaced, options))).toEqual([
    'GetItem',
    'PutItem',
  ]);
  expect(await stored()).toEqual(account({ balance: 5, revision: 2 }));
  const updated = () => ({ update: { add: { balance: -2 } } });
  expect(await commands(() => table.modify(accountEntity, key, updated, options))).toEqual([
    'GetItem',
    'UpdateItem',
  ]);
  expect(await stored()).toEqual(account({ balance: 3, revision: 3 }));
  const after = await table.modify(accountEntity, key, () => ({ remove: true as const }), options);
  expect(after).toEqual(account({ balance: 3, revision: 3 }));
  expect(await stored()).toBeUndefined();
});

test('modify writes nothing if the item does not exist or nothing changes', async () => {
  const { table, commands, options } = await world();
  expect(await table.modify(accountEntity, { id: 'b' }, () => expect.unreachable(), options)).toBeUndefined();
  const nothing = () => table.modify(accountEntity, key, () => undefined, options);
  expect(await nothing()).toEqual(account());
  expect(await commands(nothing)).toEqual(['GetItem']);
});

test.each([
  ['put', (before: Account) => ({ put: { ...before, balance: before.balance + 1 } })],
  ['update', () => ({ update: { add: { balance: 1 } } })],
] as const)(
  'a %s that conflicts with another writer is decided again on the current item',
  async (_how, decide) => {
    const { table, stored, byOther, options } = await world();
    const seen: string[] = [];
    const after = await table.modify(
      accountEntity,
      key,
      async (before) => {
        if (seen.push(before.text) <= 2) await byOther();
        return decide(before);
      },
      options,
    );
    expect(seen).toEqual(['x', 'theirs', 'theirs']);
    expect(after).toEqual(account({ text: 'theirs', balance: 1, revision: 4 }));
    expect(await stored()).toEqual(after);
  },
);

test('concurrent writers all succeed, each exactly once', async () => {
  const { table, stored, options } = await world();
  const raised = (before: Account) => ({ put: { ...before, balance: before.balance + 1 } });
  const attempts = 30;
  await Promise.all(
    Array.from({ length: 10 }, () => table.modify(accountEntity, key, raised, { ...options, attempts })),
  );
  expect(await stored()).toEqual(account({ balance: 10, revision: 11 }));
});

test('modify fails when every attempt conflicts with another writer', async () => {
  const { table, byOther, options } = await world();
  let decided = 0;
  const overtaken = async () => {
    decided++;
    await byOther();
    return { remove: true as const };
  };
  const modified = table.modify(accountEntity, key, overtaken, { ...options, attempts: 3 });
  await expect(modified).rejects.toThrow(ConditionFailed);
  expect(decided).toBe(3);
  const conflictError = () => new Error('busy');
  await expect(
    table.modify(accountEntity, key, overtaken, { ...options, attempts: 2, conflictError }),
  ).rejects.toThrow('busy');
});

test('a custom condition replaces the revision check', async () => {
  const { table, stored, byOther, options } = await world();
  let decided = 0;
  await table.modify(
    accountEntity,
    key,
    async () => {
      decided++;
      await byOther();
      return {
        update: { set: { balance: 1 } },
        condition: { expression: '#balance = :before', values: { before: 0 } },
      };
    },
    options,
  );
  expect(decided).toBe(1);
  expect(await stored()).toEqual(account({ text: 'theirs', balance: 1, revision: 3 }));
});

test('additional writes join the transaction and can reject it', async () => {
  const { table, writes, stored, options } = await world();
  const alsoWrite = [writes.insert(accountEntity, account({ id: 'b' }))];
  const put = (before: Account) => ({ put: { ...before, balance: 7 }, alsoWrite });
  await table.modify(accountEntity, key, put, options);
  expect(await table.get(accountEntity, { id: 'b' }, options)).toEqual(account({ id: 'b' }));
  const again = (before: Account) => ({
    put: { ...before, balance: 8 },
    alsoWrite,
    alsoWriteRefused: () => new Error('taken'),
  });
  await expect(table.modify(accountEntity, key, again, options)).rejects.toThrow('taken');
  await expect(table.modify(accountEntity, key, put, { ...options, attempts: 2 })).rejects.toThrow(
    ConditionFailed,
  );
  expect(await stored()).toMatchObject({ balance: 7, revision: 2 });
});

test('a known item is not read again; after a conflict the caller’s function reads it', async () => {
  const { table, commands, byOther, stored } = await world();
  const known = account();
  const decide = () => ({ update: { set: { balance: 1 } } });
  expect(await commands(() => table.modify(accountEntity, key, decide, { current: known }))).toEqual([
    'UpdateItem',
  ]);
  await byOther();
  const read: number[] = [];
  const readAgain = async (before: Account) => {
    read.push(before.revision);
    return stored();
  };
  await table.modify(accountEntity, key, decide, { current: known, readAgain });
  expect(read).toEqual([1]);
  const gone = async () => undefined;
  expect(await table.modify(accountEntity, key, decide, { current: known, readAgain: gone })).toBeUndefined();
});

test('only an item with a revision can be modified', () => {
  const { table } = notes();
  const plainEntity = defineEntity({
    type: 'plain',
    schema: z.object({ id: z.string() }),
    key: ({ id }: { id: string }) => ({ PK: tenantPartition('PLAIN'), SK: id }),
  });
  // @ts-expect-error: it has none
  const refused = () => table.modify(plainEntity, key, () => undefined);
  expect(refused).toBeTypeOf('function');
});
