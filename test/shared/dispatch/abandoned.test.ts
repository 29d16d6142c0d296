import { expect, test } from 'vitest';
import { endAbandonedRun } from '../../../shared/dispatch/abandoned.ts';
import { executionEntity } from '../../../shared/runs/execution.ts';
import { checkpointsOf } from '../../../shared/runs/run-history.ts';
import type { Scope } from '../../../shared/runtime.ts';
import { createRecords, template } from '../../support/flows.ts';
import { countingRuntime, newTenant } from '../../support/stack.ts';
import { dispatchHere } from './dispatch-here.ts';

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
