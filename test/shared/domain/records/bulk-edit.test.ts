import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { bulkEditor } from '../../../../shared/domain/records/bulk/bulk-edit.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import type { TenantTable } from '../../../../shared/platform/data/table.ts';
import { brokenTable, type Interference } from '../../../support/data/broken-table.ts';
import { newTenant } from '../../../support/stack/stack.ts';

const owner = { userId: 'user', organizationId: null };
const targets = { recordFilter: { type: 'a' } };
const change = { updates: { done: true }, deleteFields: new Set(['old']) };
const inTime = { dryRun: false, timeLeftMs: () => 29_000 };

/** Records of a type, and their editor on a table with something in between. */
async function withRecords(count: number) {
  const { tenant } = await newTenant();
  const scopeOn = (table: TenantTable): Scope => ({ table, now: () => new Date(), newId });
  const plain = brokenTable(tenant, {});
  const records = recordStore(scopeOn(plain));
  const drafts = Array.from({ length: count }, (_, n) => ({
    type: 'a',
    name: `row ${n}`,
    messages: null,
    metadata: { n, old: 1 },
  }));
  const { created } = await records.createMany(owner, drafts);
  const ids = created.map(({ id }) => id).toReversed();
  const all = async () =>
    (await records.getMany(ids)).map(({ metadata, revision }) => ({ metadata, revision }));
  return {
    records,
    ids,
    all,
    interfered: (interference: Interference) => bulkEditor(scopeOn(brokenTable(tenant, interference))),
    /** Another writer comes in just before each record's first write. */
    meanwhile(disturb: (id: string) => Promise<unknown>) {
      const seen = new Set<string>();
      const commit: TenantTable['commit'] = async (writes) => {
        const written = ids.filter((each) => !seen.has(each) && JSON.stringify(writes).includes(each));
        await Promise.all(written.map((id) => disturb(seen.add(id) && id)));
        return plain.commit(writes);
      };
      return bulkEditor(scopeOn({ ...plain, commit }));
    },
  };
}

const isWrite = (command: string) => ['UpdateItem', 'TransactWriteItems'].includes(command);

/** Counts the writes that are sent, and dies at one of them. */
function dyingAt(fatal: number) {
  const updates = { sent: 0 };
  const before = (command: string) => {
    if (isWrite(command) && ++updates.sent >= fatal) throw new Error('The process died');
  };
  return { updates, before };
}

test('repeating an interrupted call completes it and writes nothing twice', async () => {
  const { ids, all, interfered } = await withRecords(120);
  await expect(interfered(dyingAt(3))(targets, change, inTime)).rejects.toThrow('The process died');
  const written = (await all()).filter(({ revision }) => revision === 2).length;
  expect(written).toBeGreaterThan(0);
  expect(written).toBeLessThan(120);

  const { updates, before } = dyingAt(Number.POSITIVE_INFINITY);
  const { recordIds } = await interfered({ before })(targets, change, inTime);
  expect(recordIds).toEqual(ids);
  expect(updates.sent).toBe(Math.ceil((120 - written) / 25));
  for (const [index, { metadata, revision }] of (await all()).entries()) {
    expect(metadata).toEqual({ n: 119 - index, done: true });
    expect(revision).toBe(2);
  }
});

test('after a failure no write starts, and the error is thrown when all writes have finished', async () => {
  const { all, interfered } = await withRecords(1_000);
  await expect(interfered(dyingAt(10))(targets, change, inTime)).rejects.toThrow('The process died');
  const then = await all();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await all()).toEqual(then);
  expect(then.filter(({ revision }) => revision === 2).length).toBeLessThan(500);
});

test('a write whose response was lost is reported as it was, and not repeated', async () => {
  const { ids, all, interfered } = await withRecords(3);
  const { updates, before } = dyingAt(Number.POSITIVE_INFINITY);
  let answers = 0;
  const after = (command: string) => {
    if (!isWrite(command) || answers++ > 0) return;
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
  };
  const { recordIds, data } = await interfered({ before, after })(targets, change, inTime);
  expect(updates.sent).toBe(2);
  expect(recordIds).toEqual(ids);
  expect(data.map(({ before }) => before)).toEqual([2, 1, 0].map((n) => ({ n, old: 1 })));
  expect((await all()).map(({ revision }) => revision)).toEqual([2, 2, 2]);
});

test('concurrent changes are kept, and the response includes them', async () => {
  const { records, ids, all, meanwhile } = await withRecords(40);
  const edit = meanwhile((id) => records.update(id, { metadata: { mine: id, old: 2 } }));
  const { recordIds, data } = await edit(targets, change, inTime);
  expect(recordIds).toEqual(ids);
  expect((await all()).map(({ metadata }) => metadata)).toEqual(ids.map((mine) => ({ mine, done: true })));
  expect(data).toEqual(
    ids.map((id) => ({ id, before: { mine: id, old: 2 }, after: { mine: id, done: true } })),
  );
});

test('records that were deleted meanwhile, or no longer match, are skipped', async () => {
  const { records, ids, all, meanwhile } = await withRecords(3);
  const [gone = '', retyped = '', kept = ''] = ids;
  const edit = meanwhile(async (id) => {
    if (id === gone) await records.remove(gone);
    if (id === retyped) await records.update(retyped, { type: 'b' });
  });
  const { recordIds, data } = await edit(targets, change, inTime);
  expect(recordIds).toEqual([kept]);
  expect(data.map(({ id }) => id)).toEqual([kept]);
  expect((await all()).map(({ metadata }) => metadata)).toEqual([
    { n: 1, old: 1 },
    { n: 0, done: true },
  ]);
});

test('503 with the progress at the time limit; the same call does the rest', async () => {
  const { ids, all, interfered } = await withRecords(1_000);
  const { updates, before } = dyingAt(Number.POSITIVE_INFINITY);
  const timeLeftMs = () => (updates.sent < 18 ? 29_000 : 2_000);
  const call = interfered({ before })(targets, change, { dryRun: false, timeLeftMs });
  const error = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  const done = (await all()).filter(({ metadata }) => metadata.done).length;
  expect(done).toBeGreaterThan(0);
  expect(error).toMatchObject({
    code: 'OUT_OF_TIME',
    message: `The time limit of the call was reached: ${done} of 1000 records are done. Send the call again for the rest`,
  });
  expect((await interfered({})(targets, change, inTime)).recordIds).toEqual(ids);
  expect((await all()).every(({ metadata, revision }) => metadata.done && revision === 2)).toBe(true);
});

test('400 if reading the records takes too long, and nothing is written', async () => {
  const { all, interfered } = await withRecords(3);
  const call = interfered({})(targets, change, { dryRun: false, timeLeftMs: () => 9_000 });
  await expect(call).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [{ path: 'recordFilter', code: 'TOO_MANY_RECORDS' }],
  });
  expect((await all()).every(({ revision }) => revision === 1)).toBe(true);
});

test('503 if another request makes a record too large meanwhile; the same call then returns a 400 that names it', async () => {
  const { records, ids, interfered, meanwhile } = await withRecords(2);
  const large = { text: 'x'.repeat(256 * 1024 - 20) };
  const edit = meanwhile((id) =>
    id === ids[1] ? records.update(id, { metadata: large }) : Promise.resolve(),
  );
  await expect(edit(targets, change, inTime)).rejects.toMatchObject({
    code: 'OUT_OF_TIME',
    message: expect.stringContaining(`${ids[1]} became too large`),
  });
  await expect(interfered({})(targets, change, inTime)).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [{ path: 'updates', message: expect.stringContaining(ids[1] ?? '') }],
  });
});
