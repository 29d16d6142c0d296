import { afterEach, expect, test, vi } from 'vitest';
import { handler as sweep } from '../../../../functions/workers/sweep.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { endExpiredExecution } from '../../../../shared/execution/dispatch/end-execution.ts';
import { executionEntity, executionSweep } from '../../../../shared/execution/runs/execution.ts';
import { readCheckpoints } from '../../../../shared/execution/runs/read-checkpoints.ts';
import { recordCosts } from '../../../../shared/execution/runs/spending.ts';
import { sweepKeys } from '../../../../shared/platform/cleanup/sweeps.ts';
import { tombstoneWrite } from '../../../../shared/platform/cleanup/tombstone.ts';
import { toStoredIndexKeys, toStoredKey } from '../../../../shared/platform/data/keys.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { createRecords, template } from '../../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
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
    checkpoints: () => readCheckpoints(scope, run),
    execution: () => scope.table.get(executionEntity, { id: run.runId }, { consistent: true }),
  };
}

test('a dispatched run whose process crashed is ended with its results, which can be read', async () => {
  // The list and the mark of its hour, the version, then the first checkpoint together with the execution.
  const { scope, runId, checkpoints, execution } = await died(4);
  expect((await checkpoints()).map(({ end }) => end)).toEqual([undefined]);
  expect(await execution()).toMatchObject({ id: runId, kind: 'dispatch' });
  await endExpiredExecution(scope, runId);
  expect((await checkpoints()).at(-1)).toMatchObject({
    end: { status: 'failed', error: 'The process of the run crashed before the run ended' },
  });
  expect(await execution()).toBeUndefined();
  await endExpiredExecution(scope, runId);
  expect(await checkpoints()).toHaveLength(2);
});

test('at the start leases are ignored, but runs of this process continue', async () => {
  const { scope, runId, checkpoints } = await died(4);
  await endExpiredExecution(scope, runId, { atStart: true, now: new Date() });
  expect((await checkpoints()).at(-1)?.end).toBeUndefined();
  // Its clock was ahead by an hour when it began, or it began before this process did.
  await endExpiredExecution(scope, runId, { atStart: true, now: new Date(Date.now() - 3_600_000) });
  expect((await checkpoints()).at(-1)?.end).toMatchObject({ status: 'failed' });
});

test('a suspended run whose timer cannot be set is left to its batch and does not fail', async () => {
  const tenant = await newTenant();
  vi.stubEnv('WAKES_QUEUE_URL', 'http://127.0.0.1:1/none');
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 60_000 } };
  const { result } = await dispatchHere(tenant, { flow: { name: 'Waits', steps: [prompt('one'), wait] } });
  vi.unstubAllEnvs();
  expect(result).toMatchObject({ status: 'paused', batchExecutionId: expect.stringMatching(/^batch_/) });
});

test('a run that ends leaves no execution behind', async () => {
  const { runId, checkpoints, execution } = await died(Number.POSITIVE_INFINITY);
  expect((await checkpoints()).at(-1)?.end).toMatchObject({ status: 'completed' });
  expect(await execution()).toBeUndefined();
  expect(runId).toMatch(/^exec_/);
});

test('a run that ends during the sweep stays as it ended', async () => {
  const { scope, runId, checkpoints, execution } = await died(Number.POSITIVE_INFINITY);
  const flow = { flowId: newId('flow'), flowName: 'Mortal' };
  const [first] = await checkpoints();
  const lease = { startedAt: '', leaseUntil: new Date().toISOString(), recordId: first?.recordId ?? null };
  await scope.table.commit([
    scope.table.writes.put(executionEntity, { id: runId, kind: 'dispatch', ...flow, ...lease }),
  ]);
  const before = await checkpoints();
  await endExpiredExecution(scope, runId);
  expect(await checkpoints()).toEqual(before);
  expect(await execution()).toBeUndefined();
});

test('a run with one checkpoint needs one write, and no execution', async () => {
  const { checkpoints, execution } = await died(4, [template('one')]);
  expect(await checkpoints()).toMatchObject([{ end: { status: 'completed' } }]);
  expect(await execution()).toBeUndefined();
});

test('the batch watches a suspended run', async () => {
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 60_000 } };
  const { checkpoints, execution } = await died(Number.POSITIVE_INFINITY, [prompt('one'), wait]);
  expect((await checkpoints()).at(-1)).toMatchObject({ waiting: expect.anything() });
  expect(await execution()).toBeUndefined();
});

test('the sweep ends only the runs with an expired lease, and an unreadable one does not stop it', async () => {
  const [past, live] = [await died(4), await died(4)];
  const { table } = past.scope;
  const execution = await past.execution();
  if (!execution) throw new Error('No execution');
  const lease = (ms: number) => new Date(Date.now() + ms).toISOString();
  await table.commit([table.writes.put(executionEntity, { ...execution, leaseUntil: lease(-1) })]);
  const unreadable = executionEntity.key({ id: `exec_x${past.runId.at(-1)}` });
  const keys = sweepKeys(executionSweep, past.runId, new Date(0).toISOString());
  await table.commit([
    {
      Put: { Item: { ...toStoredKey(table.tenant, unreadable), ...toStoredIndexKeys(table.tenant, keys) } },
    },
  ]);
  await sweep();
  await table.removeAll([unreadable]);
  expect((await past.checkpoints()).at(-1)?.end).toMatchObject({ status: 'failed' });
  expect((await live.checkpoints()).at(-1)?.end).toBeUndefined();
  expect((await live.execution())?.leaseUntil).toSatisfy((until: string) => until > lease(15 * 60_000));
});

test.each<[string, (run: Awaited<ReturnType<typeof died>>) => Promise<unknown>]>([
  ['record', ({ scope, recordId }) => recordStore(scope).remove(recordId ?? '')],
  ['flow', async ({ scope, execution }) => markDeleted(scope, (await execution())?.flowId ?? '')],
])('a run whose %s was deleted is left to its cleanup', async (_what, remove) => {
  const run = await died(4);
  await remove(run);
  await endExpiredExecution(run.scope, run.runId);
  expect(await run.execution()).toBeUndefined();
  expect((await run.checkpoints()).map(({ end }) => end)).toEqual([undefined]);
});

const markDeleted = (scope: Scope, id: string) => scope.table.commit([tombstoneWrite(scope, id)]);

test('the costs of a crashed run are kept, and its end adds none twice', async () => {
  const { scope, recordId, runId } = await died(5);
  const costs = () => recordCosts(scope)(recordId ?? '');
  const before = await costs();
  expect(before).toMatchObject({ executionCount: 2 });
  await endExpiredExecution(scope, runId);
  expect(await costs()).toEqual(before);
});

test('the sweep finds every expired execution, whatever its id', async () => {
  const { scope, execution } = await died(4);
  const known = await execution();
  if (!known) throw new Error('No execution');
  const { table } = scope;
  const ids = ['a', 'b', 'c', 'd'].map((end) => `${newId('exec').slice(0, -1)}${end}`);
  const leaseUntil = new Date(0).toISOString();
  await table.commit(ids.map((id) => table.writes.put(executionEntity, { ...known, id, leaseUntil })));
  await sweep();
  const left = await table.getMany(ids.map((id) => executionEntity.key({ id })));
  expect(left).toEqual([undefined, undefined, undefined, undefined]);
});
