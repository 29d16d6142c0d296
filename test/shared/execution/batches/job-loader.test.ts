import { expect, test } from 'vitest';
import {
  type JobLoader,
  openSlotLoader,
  type RecordJob,
} from '../../../../shared/execution/batches/record-jobs.ts';
import type { Delivered } from '../../../../shared/execution/batches/run-message.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';

const delivered = (runId: string) => ({ runId, message: { runId }, deliveries: 1 }) as unknown as Delivered;

test('a run that has begun is not loaded ahead again: its end may not be stored yet', async () => {
  const loaded: string[] = [];
  const load = (async ({ runId }: { runId: string }) => {
    loaded.push(runId);
    return {} as RecordJob;
  }) as unknown as JobLoader;
  let time = 0;
  const jobs = openSlotLoader(load, { now: () => new Date(time++) } as unknown as Scope);
  const group = ['a', 'b', 'c', 'a', 'b', 'c'].map(delivered);
  for (const [index, first] of group.entries()) await jobs.begin([first, ...group.slice(index + 1)]);
  // Each once ahead of its first turn; then not before its second one.
  expect(loaded).toEqual(['a', 'c', 'b', 'a', 'b', 'c']);
});
