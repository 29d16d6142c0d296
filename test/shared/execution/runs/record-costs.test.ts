import Big from 'big.js';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { recordPartition } from '../../../../shared/domain/records/record.ts';
import { cleaner } from '../../../../shared/execution/cleaner.ts';
import { openRunRecorder } from '../../../../shared/execution/runs/run-recorder.ts';
import { recordCosts } from '../../../../shared/execution/runs/spending.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import type { Write } from '../../../../shared/platform/data/writes.ts';
import {
  deliverRunMessages,
  type PlannedBatch,
  plannedBatch,
  runOnce,
} from '../../../support/flows/batches.ts';
import { template } from '../../../support/flows/flows.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { newTenantName } from '../../platform/data/notes.ts';

const prompt = (model = 'gpt-4o-mini') => ({
  type: 'prompt' as const,
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt: 'hello {{ _record.name }}' },
});
const none = {
  executionCount: 0,
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  totalCost: 0,
  modelBreakdown: [],
};

/** What the costs have to be: the sum over the step results, made from their rows. */
async function summed(batch: PlannedBatch, recordId: string) {
  const rows = (await batch.results(recordId)).filter(({ modelUsed }) => modelUsed);
  const total = (field: 'promptTokens' | 'completionTokens') =>
    rows.reduce((sum, row) => sum + (row[field] ?? 0), 0);
  return {
    executionCount: rows.length,
    promptTokens: total('promptTokens'),
    completionTokens: total('completionTokens'),
    totalTokens: total('promptTokens') + total('completionTokens'),
    totalCost: rows.reduce((sum, { estimatedCost }) => sum.plus(estimatedCost ?? 0), new Big(0)).toNumber(),
  };
}

/** A log of a run on a record of a tenant of its own, for results that no model has to give. */
function world() {
  const scope = countingRuntime().scopeOf(newTenantName());
  const [recordId, flowId] = [newId('record'), newId('flow')];
  const log = (more: { recordId?: string | null; ttl?: number; flowId?: string; in?: Scope } = {}) => {
    const { in: inScope = scope, ...changes } = more;
    const facts = {
      userId: 'u',
      organizationId: null,
      batchId: null,
      runId: newId('exec'),
      recordId,
      flowId,
      flowVersionId: newId('flowver'),
      recordName: 'x',
      recordMetadata: {},
      flowName: 'A flow',
      ...changes,
    };
    const commit = ({ write }: { write: Write }) => inScope.table.commit([write]);
    return openRunRecorder(inScope, facts, commit);
  };
  return { scope, log, recordId, costs: () => recordCosts(scope)(recordId) };
}
let path = 0;
const use = (estimatedCost: string | null, modelUsed = 'a/model', tokens = [1, 2]) => ({
  path: String(path++),
  stepId: 'step',
  status: 'completed',
  startedAt: new Date().toISOString(),
  durationMs: 1,
  retryCount: 0,
  output: 'x',
  modelUsed,
  estimatedCost,
  promptTokens: tokens[0],
  completionTokens: tokens[1],
});
type Log = ReturnType<ReturnType<typeof world>['log']>;
const write = async (log: Log, ...uses: ReturnType<typeof use>[]) => {
  for (const each of uses) await log.add(each as Parameters<Log['add']>[0]);
  await log.flush();
};

test('the costs of a record are the sums over its step results, across batches and models', async () => {
  const batch = await plannedBatch({ recordCount: 3, steps: [prompt(), template('x'), prompt('gpt-4o')] });
  await deliverRunMessages(batch.messages);
  for (const { id } of batch.records) {
    const costs = await recordCosts(batch.scope)(id);
    expect(costs).toMatchObject(await summed(batch, id));
    expect(costs).toMatchObject({ executionCount: 2, totalCost: expect.any(Number) });
    expect(costs.totalCost).toBeGreaterThan(0);
    const { modelBreakdown } = costs;
    expect(modelBreakdown.map(({ model, count }) => [model, count])).toEqual([
      ['generic-openai/gpt-4o', 1],
      ['generic-openai/gpt-4o-mini', 1],
    ]);
    expect(new Big(modelBreakdown[0]?.cost ?? 0).plus(modelBreakdown[1]?.cost ?? 0).toNumber()).toBe(
      costs.totalCost,
    );
    expect(modelBreakdown[0]?.tokens).toBe(modelBreakdown[1]?.tokens);
  }
});

test('a worker that crashes at any write keeps the costs equal to the stored results, and so does the next one', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let death = 0; death < 3; death++) {
      const batch = await plannedBatch({ steps: [prompt(), template('x'), prompt(), prompt('gpt-4o')] });
      const id = batch.records[0]?.id ?? '';
      let commits = 0;
      const commit = async (writes: readonly Write[]) => {
        const dies = commits++ >= death;
        if (!dies || when === 'after') await batch.scope.table.commit(writes);
        if (dies) throw new Error('The worker died');
      };
      const dying = { ...batch.scope, table: { ...batch.scope.table, commit } };
      await expect(runOnce(dying, batch.message())).rejects.toThrow('The worker died');
      expect(await recordCosts(batch.scope)(id)).toMatchObject(await summed(batch, id));
      await runOnce(batch.scope, batch.message());
      const costs = await recordCosts(batch.scope)(id);
      expect(costs).toMatchObject(await summed(batch, id));
      expect(costs.executionCount).toBe(3);
    }
  }
}, 60_000);

test('the counters of a deleted flow are removed with its results, and no others', async () => {
  const batch = await plannedBatch({ recordCount: 2, steps: [prompt(), prompt('gpt-4o')] });
  const other = await plannedBatch({ steps: [prompt()] });
  const [id = ''] = batch.records.map((record) => record.id);
  await deliverRunMessages([
    ...batch.messages,
    { ...batch.message(), runId: newId('exec') },
    other.message(),
  ]);
  const countersOf = async (scope: Scope, recordId: string) => {
    const range = { partition: recordPartition(recordId), from: 'COSTS#', to: 'COSTS#~', consistent: true };
    return (await scope.table.queryAll(range)).length;
  };
  expect(await countersOf(batch.scope, id)).toBe(2);
  await cleaner(batch.scope)(batch.flow.id);
  for (const record of batch.records) expect(await countersOf(batch.scope, record.id)).toBe(0);
  expect(await countersOf(other.scope, other.records[0]?.id ?? '')).toBe(1);
});

test('concurrent runs and transactions on one record all count', async () => {
  const batch = await plannedBatch({ steps: [prompt()] });
  const id = batch.records[0]?.id ?? '';
  const messages = Array.from({ length: 5 }, () => ({ ...batch.message(), runId: newId('exec') }));
  await deliverRunMessages(messages);
  expect(await recordCosts(batch.scope)(id)).toMatchObject({
    ...(await summed(batch, id)),
    executionCount: 5,
  });
  await Promise.all(
    Array.from({ length: 12 }, () => runOnce(batch.scope, { ...batch.message(), runId: newId('exec') })),
  );
  expect(await recordCosts(batch.scope)(id)).toMatchObject({
    ...(await summed(batch, id)),
    executionCount: 17,
  });
});

test('decimals add up exactly, from the smallest to the largest', async () => {
  const { log, costs } = world();
  const run = log();
  await write(run, ...Array.from({ length: 10 }, () => use('0.1')));
  await write(run, use('123456.789'), use('0.000000000000001'), use('0.2', 'other/model'), use(null));
  expect(await costs()).toEqual({
    executionCount: 14,
    promptTokens: 14,
    completionTokens: 28,
    totalTokens: 42,
    totalCost: Number('123457.989000000000001'),
    modelBreakdown: [
      { model: 'a/model', count: 13, tokens: 39, cost: Number('123457.789000000000001') },
      { model: 'other/model', count: 1, tokens: 3, cost: 0.2 },
    ],
  });
  for (let n = 0; n < 10; n++) await write(run, use('0.1', 'dime/model'));
  expect((await costs()).modelBreakdown).toContainEqual({
    model: 'dime/model',
    count: 10,
    tokens: 30,
    cost: 1,
  });
});

test('models with any name are distinguished, including # and all letters', async () => {
  const { log, costs } = world();
  const names = ['a#b', 'a#', 'ä/模型', `x/${'模'.repeat(255)}`];
  await write(log(), ...names.map((name) => use('1', name)));
  expect((await costs()).modelBreakdown.map(({ model }) => model).toSorted()).toEqual(names.toSorted());
});

test('a checkpoint without a model call is a plain write, one with a model call a transaction', async () => {
  const { consumed, scopeOf, reset } = countingRuntime();
  const { log } = world();
  const scope = scopeOf(newTenantName());
  const run = log({ in: scope });
  const { modelUsed: _model, ...plain } = use(null);
  reset();
  await write(run, plain as ReturnType<typeof use>);
  await write(run, use('1'), use('2'));
  expect(consumed.commands).toEqual(['PutItem', 'TransactWriteItems']);
});

test('a run without a stored record, or one that expires, has no record costs', async () => {
  const { scope, log, costs } = world();
  await write(log({ recordId: null }), use('1'));
  await write(log({ ttl: Math.floor(Date.now() / 1_000) + 1_000 }), use('1'));
  expect(await costs()).toEqual(none);
  expect(await scope.table.queryAll({ partition: tenantPartition('RECORD#null') })).toEqual([]);
});
