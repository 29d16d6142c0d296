import { expect, test } from 'vitest';
import { createRecords, expectStatus, finishedBatch, publishedFlow } from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (name: string, userPrompt: string, model = 'generic-openai/echo') => ({
  type: 'prompt',
  name,
  config: { model, userPrompt, outputVariable: name },
});

async function world(steps: object[], records = 3) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  await createRecords(tenant, 'thing', records);
  return { tenant, flowId: flow.id as string };
}

async function run({ call }: Tenant, flowId: string, options: object = { reuse: 'unchanged' }) {
  const body = { recordType: 'thing', options };
  const answer = await expectStatus(200, call('POST', `/v1/flows/${flowId}/run-on-record-type`, { body }));
  expect(answer.failureCount).toBe(0);
  return answer.batchId as string;
}

/** The results of a batch as `<step> <output>`, and which of them were taken over. */
async function resultsOf(tenant: Tenant, flowId: string, batchId: string) {
  const rows = await everyStepResult(tenant, `/v1/flows/${flowId}/step-results`, `batchId=${batchId}`);
  const ofBatch = rows.filter(({ batchExecutionId }) => batchExecutionId === batchId);
  return ofBatch
    .map((row) => ({
      step: String(row.stepName),
      record: String(row.recordName),
      output: row.outputPreview,
      isReused: row.reusedFrom !== null,
      row,
    }))
    .toSorted((one, other) => `${one.record}${one.step}`.localeCompare(`${other.record}${other.step}`));
}

/** Publishes other steps. Those with a known name stay the same steps. */
const changed = async ({ call }: Tenant, flowId: string, steps: { name: string; config: object }[]) => {
  const before = (await expectStatus(200, call('GET', `/v1/flows/${flowId}`))).flowSteps;
  const idOf = (name: string) => before.find((step: { name: string }) => step.name === name)?.id;
  const flowSteps = steps.map((step) => ({ id: idOf(step.name), ...step }));
  await expectStatus(200, call('PUT', `/v1/flows/${flowId}`, { body: { flowSteps } }));
  await expectStatus(200, call('POST', `/v1/flows/${flowId}/publish`));
};

test('a second run asks no model again, and says what it took and saved', async () => {
  const { tenant, flowId } = await world([ask('first', 'About {{ _record.name }}')]);
  const before = await resultsOf(tenant, flowId, await run(tenant, flowId));
  expect(before.map(({ isReused }) => isReused)).toEqual([false, false, false]);
  const batchId = await run(tenant, flowId);
  const after = await resultsOf(tenant, flowId, batchId);
  expect(after.map(({ output }) => output)).toEqual(before.map(({ output }) => output));
  for (const [index, { row }] of after.entries()) {
    const source = before[index]?.row;
    expect(row).toMatchObject({
      status: 'completed',
      reusedFrom: { resultId: source?.id, runId: source?.batchExecutionId },
      estimatedCost: '0',
      modelUsed: null,
      resolvedPrompt: source?.resolvedPrompt,
    });
  }
  const { tokens, totalCost } = await expectStatus(200, tenant.call('GET', `/v1/runs/${batchId}`));
  expect({ tokens, totalCost }).toEqual({
    tokens: { input: 0, output: 0, cachedInput: 0, reasoning: 0 },
    totalCost: '0',
  });
});

test('after a change of a late prompt, only that one and what follows from it run', async () => {
  const first = ask('first', 'About {{ _record.name }}');
  const { tenant, flowId } = await world([first, ask('second', 'Shorter: {{ first }}')]);
  await run(tenant, flowId);
  const second = ask('second', 'Longer: {{ first }}');
  await changed(tenant, flowId, [first, second, ask('third', 'Of {{ second }}')]);
  const after = await resultsOf(tenant, flowId, await run(tenant, flowId));
  const reused = after.map(({ step, isReused }) => `${step} ${isReused}`);
  expect(new Set(reused)).toEqual(new Set(['first true', 'second false', 'third false']));
  expect(reused).toHaveLength(9);
  await changed(tenant, flowId, [first, second]);
  const back = await resultsOf(tenant, flowId, await run(tenant, flowId));
  expect(back.every(({ isReused }) => isReused)).toBe(true);
});

test.each<[string, object]>([
  ['another temperature', { temperature: 0.3 }],
  ['another model', { model: 'generic-openai/other' }],
  ['another system prompt', { systemPrompt: 'Be brief' }],
  ['another format', { responseFormat: 'markdown' }],
])('%s is another request', async (_what, config) => {
  const step = ask('first', 'About {{ _record.name }}');
  const { tenant, flowId } = await world([step], 1);
  await run(tenant, flowId);
  await changed(tenant, flowId, [{ ...step, config: { ...step.config, ...config } }]);
  const after = await resultsOf(tenant, flowId, await run(tenant, flowId));
  expect(after.map(({ isReused }) => isReused)).toEqual([false]);
});

test('another name, time limit or variable of a step is the same request; without `reuse` it runs anyway', async () => {
  const step = ask('first', 'About {{ _record.name }}');
  const { tenant, flowId } = await world([step], 1);
  await run(tenant, flowId);
  const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flowId}`));
  const renamed = {
    ...flowSteps[0],
    name: 'other',
    config: { ...step.config, timeoutMs: 5_000, promptCaching: 'off', outputVariable: 'y' },
  };
  await changed(tenant, flowId, [renamed]);
  const after = await resultsOf(tenant, flowId, await run(tenant, flowId));
  expect(after.map(({ isReused }) => isReused)).toEqual([true]);
  for (const options of [{}, { reuse: 'never' }]) {
    const anyway = await resultsOf(tenant, flowId, await run(tenant, flowId, options));
    expect(anyway.map(({ isReused }) => isReused)).toEqual([false]);
  }
});

test('a write of a record that asks for the same is not repeated', async () => {
  const write = {
    type: 'update-record',
    name: 'write',
    config: { recordId: '{{ _record.id }}', updates: { seen: 'yes' } },
  };
  const { tenant, flowId } = await world([write], 1);
  await run(tenant, flowId);
  const { data: records } = await expectStatus(200, tenant.call('GET', '/v1/records?type=thing'));
  const path = `/v1/records/${records[0].id}`;
  await expectStatus(200, tenant.call('PUT', path, { body: { metadata: { seen: 'no' } } }));
  await run(tenant, flowId);
  expect((await expectStatus(200, tenant.call('GET', path))).metadata).toEqual({ seen: 'no' });
});

test.each([
  [{ reuse: 'sometimes' }, 'options.reuse'],
  [{ reuse: 'unchanged', reuseMaxAgeDays: 0 }, 'options.reuseMaxAgeDays'],
  [{ reuse: 'unchanged', reuseMaxAgeDays: 3_651 }, 'options.reuseMaxAgeDays'],
])('%j is refused', async (options, path) => {
  const { tenant, flowId } = await world([ask('first', 'x')], 1);
  const body = { recordType: 'thing', options };
  const { details } = await expectStatus(
    400,
    tenant.call('POST', `/v1/flows/${flowId}/run-on-record-type`, { body }),
  );
  expect(details).toMatchObject([{ path }]);
});

test('listed records reuse too', async () => {
  const { tenant, flowId } = await world([ask('first', 'About {{ _record.name }}')], 2);
  await run(tenant, flowId);
  const { data: records } = await expectStatus(200, tenant.call('GET', '/v1/records?type=thing'));
  const recordIds = records.map(({ id }: { id: string }) => id);
  const body = { flowId, recordIds, options: { reuse: 'unchanged', reuseMaxAgeDays: 1 } };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await finishedBatch(tenant, batchExecutionId);
  const after = await resultsOf(tenant, flowId, batchExecutionId);
  expect(after.map(({ isReused }) => isReused)).toEqual([true, true]);
});
