import { expect, test } from 'vitest';
import { runEntity } from '../../../../shared/domain/runs/run.ts';
import { loadRun } from '../../../../shared/execution/agent-runs/run-log.ts';
import { slotEntity } from '../../../../shared/execution/batches/batch.ts';
import { checkpointEntity } from '../../../../shared/execution/runs/checkpoint.ts';
import { decode } from '../../../../shared/platform/data/entity.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { answered, createScriptedAgent, run } from '../../../support/agents/agent-runs.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
} from '../../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

/** Its provider says that a cache served 800 of 1,000 tokens, each for a quarter of 2 USD per million. */
const model = 'generic-openai/gpt-4.1';
const prompt = { type: 'prompt', name: 'ask', config: { model, userPrompt: 'Hello' } };
const scopeOf = ({ tenant }: { tenant: string }) => countingRuntime().scopeOf(tenant);
const tokens = { input: 1_000, output: 10, cachedInput: 800, reasoning: 0 };
const use = { calls: 1, failed: 0, tokens, cost: '0.00088', durations: expect.any(Object) };

const readPartition = (
  { table }: Scope,
  partition: Parameters<Scope['table']['queryAll']>[0]['partition'],
  prefix = '',
) => table.queryAll({ partition, from: prefix, to: `${prefix}~` });

test('the log of an agent and its run store what calls of models took in the members of earlier releases', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model });
  const { executionId: id } = await answered(run(tenant, agent.id, 'Hello'));
  const scope = scopeOf(tenant);
  const { log, execution } = await loadRun(scope, id);
  const [turn] = log.filter(({ fact }) => fact.type === 'turn');
  const spent = {
    inputTokens: 1_000,
    outputTokens: 10,
    cachedInputTokens: 800,
    cacheSavings: '0.0012',
    cost: '0.00088',
  };
  expect(turn?.fact).toHaveProperty('spent', spent);
  expect(log.flatMap((entry) => (entry.use ? [entry.use] : []))).toEqual([{ [model]: use }]);
  expect(execution).toMatchObject({ inputTokens: 1_000, outputTokens: 10, totalCost: '0.00088' });
  const row = await scope.table.get(runEntity, { id });
  expect(row).toMatchObject({ totalCost: '0.00088', cacheSavings: '0.0012', tokens, use: { [model]: use } });
});

test('so do the checkpoints of a batch, its slot, its record and its run', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const flow = await publishedFlow(tenant, [prompt, { ...prompt, name: 'again' }]);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  await finishedBatch(tenant, batchId);
  const scope = scopeOf(tenant);
  const { id: recordId } = record as { id: string };
  const slotKey = slotEntity.key({ batchId, slot: 0 });
  const [slot] = await readPartition(scope, slotKey.PK, slotKey.SK);
  const row = await scope.table.get(runEntity, { id: batchId });
  const twice = { input: 2_000, output: 20, cachedInput: 1_600, reasoning: 0 };
  const usedTwice = { ...use, calls: 2, tokens: twice, cost: '0.00176' };
  expect(row).toMatchObject({ totalCost: '0.00176', cacheSavings: '0.0024', tokens: twice });
  expect(row?.use).toEqual({ [model]: usedTwice });
  const counters = Object.fromEntries(
    Object.entries({ ...slot }).flatMap(([name, value]) =>
      /^(t[iokr]|[usvx]|m[a-z])/.test(name) ? [[name.replace(/^(m.).{4}/, '$1'), String(value)]] : [],
    ),
  );
  expect(counters).toMatchObject({
    ...{ ti: '2000', to: '20', tk: '1600', u: '1760000000000', v: '2400000000000' },
    ...{ mn: model, mc: '2', mi: '2000', mo: '20', mk: '1600', mu: '1760000000000' },
  });
  for (const absent of ['tr', 's', 'x', 'mr', 'mf', 'mx']) expect(counters).not.toHaveProperty(absent);
  const { PK } = checkpointEntity.key({ recordId, runId: 'run', index: 0 });
  const items = await readPartition(scope, PK);
  const checkpoints = items
    .filter(({ rows, summary }) => 'rows' in { ...(summary as object) } || rows !== undefined)
    .map((item) => decode(checkpointEntity, item));
  const step = {
    promptTokens: 1_000,
    completionTokens: 10,
    cachedTokens: 800,
    cacheSavings: '0.0012',
    estimatedCost: '0.00088',
  };
  const results = checkpoints.flatMap((checkpoint) => checkpoint.results);
  expect(results).toMatchObject([step, step]);
  for (const result of results) expect(result).not.toHaveProperty('reasoningTokens');
  expect(checkpoints.map((checkpoint) => checkpoint.use)).toMatchObject([{ [model]: use }, { [model]: use }]);
  const [cost] = items.filter(({ SK }) => String(SK).startsWith('COSTS#'));
  expect(cost).toMatchObject({ count: 2, promptTokens: 2_000, completionTokens: 20 });
  expect(String(cost?.units)).toBe('1760000000000');
});
