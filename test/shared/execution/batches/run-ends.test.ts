import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadJobs } from '../../../../shared/execution/batches/record-jobs.ts';
import { runRecord } from '../../../../shared/execution/batches/record-runner.ts';
import { endsTogether } from '../../../../shared/execution/batches/run-ends.ts';
import { plannedBatch } from '../../../support/batches.ts';
import { template } from '../../../support/flows.ts';

const never = new AbortController().signal;

/** Runs the records of a batch side by side, as an invocation does, each when its turn has come. */
async function run(turnOf: (place: number, ended: readonly number[]) => Promise<unknown>) {
  const batch = await plannedBatch({ steps: [template('hello')], recordCount: 3 });
  const { scope, runtime, messages } = batch;
  const jobs = await loadJobs(scope, messages);
  const withEnd = endsTogether(scope);
  runtime.reset();
  const ended: number[] = [];
  await Promise.all(
    jobs.map((job, place) =>
      withEnd(async (commitEnd) => {
        await turnOf(place, ended);
        await runRecord(scope, job, (work) => work(commitEnd), never);
        ended.push(place);
      }),
    ),
  );
  const transactions = runtime.consumed.commands.filter((name) => name === 'TransactWriteItems');
  return { ...batch, ended, transactions: transactions.length };
}

test('runs that end a few turns of the event loop apart are counted in one transaction', async () => {
  // So that no time passes between them, whatever else the machine does.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { transactions, progress } = await run(async (place) => {
    for (let turn = 0; turn < place * 3; turn++) await nextTurn();
  });
  expect(transactions).toBe(1);
  expect(await progress()).toMatchObject({ processedRecords: 3, failedRecords: 0 });
});

test('a run that goes on for long keeps no other from ending', async () => {
  const { ended, progress } = await run(async (place, ended) => {
    if (place === 2) await vi.waitFor(() => expect(ended).toHaveLength(2), { timeout: 10_000 });
  });
  expect(ended.at(-1)).toBe(2);
  expect(await progress()).toMatchObject({ processedRecords: 3 });
});
