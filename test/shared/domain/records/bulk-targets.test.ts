import { expect, test } from 'vitest';
import { type BulkTargets, targetPages } from '../../../../shared/domain/records/bulk/bulk-targets.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const owner = { userId: 'user', organizationId: null };
const plenty = () => 29_000;

async function withRecords(count: number) {
  const { tenant } = await newTenant();
  const scope = countingRuntime().scopeOf(tenant);
  const drafts = Array.from({ length: count }, (_, n) => ({
    type: n % 2 ? 'odd' : 'even',
    name: `row ${n}`,
    messages: null,
    metadata: { n },
  }));
  const { created } = await recordStore(scope).createMany(owner, drafts);
  const read = async (targets: BulkTargets, readMax?: number) => {
    const pages = await Array.fromAsync(
      targetPages(scope, targets, { timeLeftMs: plenty, ...(readMax !== undefined && { readMax }) }),
    );
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(200);
    return pages.flat().map(({ id }) => id);
  };
  return { created: created.map(({ id }) => id), read };
}

test('reads records page by page: lists newest first, ids in their order', async () => {
  const { created, read } = await withRecords(450);
  const even = created.filter((_, n) => n % 2 === 0);
  expect(await read({ recordFilter: { type: 'even' } })).toEqual(even.toReversed());
  expect(await read({ conditions: [] })).toEqual(created.toReversed());
  expect(await read({ recordIds: [...created, ...created] })).toEqual(created);
});

test('400 if there are more records to read than the limit, however few match', async () => {
  const { created, read } = await withRecords(20);
  const conditions = [{ field: 'n', operator: 'equals' as const, value: 3 }];
  expect(await read({ conditions }, 20)).toEqual([created[3]]);
  await expect(read({ conditions }, 19)).rejects.toMatchObject({
    code: 'VALIDATION',
    details: [{ path: 'conditions', code: 'TOO_MANY_RECORDS', message: expect.stringContaining('19') }],
  });
});
