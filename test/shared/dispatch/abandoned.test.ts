import { afterEach, expect, test, vi } from 'vitest';
import { endAbandonedRun } from '../../../shared/dispatch/abandoned.ts';
import { executionEntity } from '../../../shared/runs/execution.ts';
import { checkpointsOf } from '../../../shared/runs/run-history.ts';
import type { Scope } from '../../../shared/runtime.ts';
import { createRecords, template } from '../../support/flows.ts';
import { countingRuntime, newTenant } from '../../support/stack.ts';
import { dispatchHere } from './dispatch-here.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const prompt = (name: string) => ({
  type: 'prompt',
  name,
  config: { model: 'generic-openai/any', userPrompt: name },
});

/** A run on a stored record whose process dies when it has written so many times. */
async function died(writes: number, steps: object[] = [prompt('one'), prompt('two'), template('three')]) {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  let left = writes;
  const { result } = await dispatchHere(
    tenant,
    { flow: { name: 'Mortal', steps }, record: { id: record?.id } },
    {
      before: (command) => {
        if (/Put|Transact|Update/.test(command) && left-- <= 0) throw new Error('The process died');
      },
    },
  );
  const scope: Scope = countingRuntime().scopeOf(tenant.tenant);
  const run = { runId: result.executionId, recordId: record?.id ?? null };
  return {
    ...run,
    scope,
    checkpoints: () => checkpointsOf(scope, run),
    execution: () => scope.table.get(executionEntity, { id: run.runId }, { consistent: true }),
  };
}

test('a dispatched run whose process died is ended, with what it did, and its results can be read', async () => {
  // The version, then the first checkpoint together with the execution.
  const { scope, runId, checkpoints, execution } = await died(2);
  expect((await checkpoints()).map(({ end }) => end)).toEqual([undefined]);
  expect(await execution()).toMatchObject({ id: runId, kind: 'dispatch' });
  await endAbandonedRun(scope, runId);
  expect((await checkpoints()).at(-1)).toMatchObject({
    end: { status: 'failed', error: 'The process that ran it ended before the run did' },
  });
  expect(await execution()).toBeUndefined();
  await endAbandonedRun(scope, runId);
  expect(await checkpoints()).toHaveLength(2);
});

test('at the start no lease counts, but what this process began goes on', async () => {
  const { scope, runId, checkpoints } = await died(2);
  await endAbandonedRun(scope, runId, { atStart: true, now: new Date() });
  expect((await checkpoints()).at(-1)?.end).toBeUndefined();
  // Its clock was ahead by an hour when it began, or it began before this process did.
  await endAbandonedRun(scope, runId, { atStart: true, now: new Date(Date.now() - 3_600_000) });
  expect((await checkpoints()).at(-1)?.end).toMatchObject({ status: 'failed' });
});

test('a parked run whose wake cannot be sent is left to its batch, and is not failed', async () => {
  const tenant = await newTenant();
  vi.stubEnv('WAKES_QUEUE_URL', 'http://127.0.0.1:1/none');
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 60_000 } };
  const { result } = await dispatchHere(tenant, { flow: { name: 'Waits', steps: [prompt('one'), wait] } });
  vi.unstubAllEnvs();
  expect(result).toMatchObject({ status: 'paused', batchExecutionId: expect.stringMatching(/^batch_/) });
});

test('a run that comes to its end leaves no execution behind', async () => {
  const { runId, checkpoints, execution } = await died(Number.POSITIVE_INFINITY);
  expect((await checkpoints()).at(-1)?.end).toMatchObject({ status: 'completed' });
  expect(await execution()).toBeUndefined();
  expect(runId).toMatch(/^exec_/);
});

test('a run of one checkpoint is one write, and opens no execution', async () => {
  const { checkpoints, execution } = await died(2, [template('one')]);
  expect(await checkpoints()).toMatchObject([{ end: { status: 'completed' } }]);
  expect(await execution()).toBeUndefined();
});

test('a run that waits is looked after by its batch', async () => {
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 60_000 } };
  const { checkpoints, execution } = await died(Number.POSITIVE_INFINITY, [prompt('one'), wait]);
  expect((await checkpoints()).at(-1)).toMatchObject({ waiting: expect.anything() });
  expect(await execution()).toBeUndefined();
});
