import { expect, test } from 'vitest';
import { bulkPlan } from '../../../../shared/domain/records/bulk/bulk-edit.ts';
import type { RecordItem } from '../../../../shared/domain/records/record.ts';

const at = new Date().toISOString();
const record = (n: number, metadata: RecordItem['metadata']): RecordItem => ({
  userId: 'u',
  organizationId: null,
  type: 'a',
  name: `${n}`,
  search: `${n}`,
  messages: null,
  id: `record_${n}`,
  metadata,
  revision: 1,
  createdAt: at,
  updatedAt: at,
});
async function* pages(count: number, metadata: RecordItem['metadata']) {
  for (let n = 0; n < count; n += 100) {
    yield Array.from({ length: Math.min(100, count - n) }, (_, index) => record(n + index, metadata));
  }
}
const targets = { recordFilter: { type: 'a' } };
const change = { updates: { done: true }, deleteFields: new Set<string>() };
const refused = (code: string, message: string) => ({
  code: 'VALIDATION',
  details: [{ code, message: expect.stringContaining(message) }],
});

test('plans 10,000 records and returns the first 1,000; one more is rejected with the limit', async () => {
  const edits = await bulkPlan(pages(10_000, { n: 1 }), targets, change);
  expect(edits).toHaveLength(10_000);
  expect(edits.filter(({ shown }) => shown)).toEqual(edits.slice(0, 1_000));
  await expect(bulkPlan(pages(10_001, { n: 1 }), targets, change)).rejects.toMatchObject(
    refused('TOO_MANY_RECORDS', '10000'),
  );
});

test('more than 64 MB of metadata together is rejected, unless it stays unchanged', async () => {
  const metadata = { text: 'x'.repeat(64_000) };
  await expect(bulkPlan(pages(1_000, metadata), targets, change)).rejects.toMatchObject(
    refused('TOO_MANY_RECORDS', '64000000'),
  );
  const edits = await bulkPlan(pages(1_000, { ...metadata, done: true }), targets, change);
  expect(edits.filter((edit) => edit.metadata !== undefined)).toEqual([]);
});

test('lists the first ten records that would become too large', async () => {
  const large = { text: 'x'.repeat(256 * 1024 - 15) };
  const refusal = await bulkPlan(pages(12, large), targets, change).catch((error) => error);
  expect(refusal).toMatchObject({ code: 'VALIDATION' });
  expect(refusal.details).toHaveLength(10);
  expect(refusal.details[9]).toMatchObject({ path: 'updates', code: 'TOO_LARGE' });
  expect(refusal.details[9].message).toContain('record_9 ');
});
