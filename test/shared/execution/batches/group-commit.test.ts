import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import { groupCommits, type WithCommits } from '../../../../shared/execution/batches/group-commit.ts';
import { loadJobs } from '../../../../shared/execution/batches/record-jobs.ts';
import { runRecord } from '../../../../shared/execution/record-runs/run-record.ts';
import { recordCosts } from '../../../../shared/execution/runs/spending.ts';
import { plannedBatch } from '../../../support/flows/batches.ts';
import { template } from '../../../support/flows/flows.ts';
import { eventually } from '../../../support/stack/eventually.ts';

const never = new AbortController().signal;

/** Runs the records of a batch side by side, as an invocation does, each when its turn has come. */
async function run(
  turnOf: (place: number, ended: readonly number[]) => Promise<unknown>,
  steps: FlowStepInput[] = [template('hello')],
) {
  const batch = await plannedBatch({ steps, recordCount: 3 });
  const { scope, runtime, messages } = batch;
  const jobs = await loadJobs(scope, messages);
  const withCommits = groupCommits(scope);
  runtime.reset();
  const ended: number[] = [];
  await Promise.all(
    jobs.map(async (job, place) => {
      const { stored } = await withCommits(async (commits) => {
        await turnOf(place, ended);
        const inner: WithCommits = async (work) => {
          await work(commits);
          return { stored: Promise.resolve() };
        };
        await runRecord(scope, job, inner, never);
      });
      await stored;
      ended.push(place);
    }),
  );
  const transactions = runtime.consumed.commands.filter((name) => name === 'TransactWriteItems');
  return { ...batch, ended, transactions: transactions.length };
}

test('runs that end a few event loop turns apart are counted in one transaction', async () => {
  // So that no time passes between them, whatever else the machine does.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { transactions, progress } = await run(async (place) => {
    for (let turn = 0; turn < place * 3; turn++) await nextTurn();
  });
  expect(transactions).toBe(1);
  expect(await progress()).toMatchObject({ processedRecords: 3, failedRecords: 0 });
});

test('a long run does not delay the end of others', async () => {
  const { ended, progress } = await run(async (place, ended) => {
    if (place === 2) await eventually(() => expect(ended).toHaveLength(2));
  });
  expect(ended.at(-1)).toBe(2);
  expect(await progress()).toMatchObject({ processedRecords: 3 });
});

test('checkpoints before the end are grouped too, each with the costs of its record', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ask: FlowStepInput = {
    type: 'prompt',
    name: 'ask',
    config: { model: 'generic-openai/any', userPrompt: 'Speak' },
  };
  const { transactions, progress, results, records, scope } = await run(async () => {}, [
    ask,
    { ...ask, name: 'ask again' },
  ]);
  // One before the three ask again, and one of the three ends.
  expect(transactions).toBe(2);
  expect(await progress()).toMatchObject({ processedRecords: 3, failedRecords: 0 });
  for (const { id } of records) {
    expect(await results(id)).toHaveLength(2);
    expect(await recordCosts(scope)(id)).toMatchObject({ executionCount: 2 });
  }
});
