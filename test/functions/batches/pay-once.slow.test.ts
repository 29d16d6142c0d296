import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecords, expectStatus, finishedBatch, publishedFlow } from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (name: string, model: string, userPrompt: string) => ({
  type: 'prompt',
  name,
  config: { model, userPrompt, outputVariable: name },
});

/** All calls of models that the tenant's runs have made. */
async function callsOf({ call }: Tenant): Promise<number> {
  const [from, to] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const query = `from=${from}&to=${to}&interval=hour&groupBy=model`;
  const { groups } = await expectStatus(200, call('GET', `/v1/run-metrics?${query}`));
  return groups.reduce((sum: number, { total }: { total: { runs: number } }) => sum + total.runs, 0);
}

test('of 1,000 records whose third prompt fails for a third, a retry asks the model for exactly these', async () => {
  const tenant = await newTenant();
  const [echo, some] = [
    await pricedModel(tenant, { mapping: 'echo' }),
    await pricedModel(tenant, { mapping: 'refusing-some' }),
  ];
  const steps = [
    ask('one', echo, 'One {{ _record.name }}'),
    ask('two', echo, 'Two {{ one }}'),
    ask('three', some, 'Three {{ two }} {{ _record.metadata.value }}'),
  ];
  const flow = await publishedFlow(tenant, steps);
  const mark = (n: number) => (n % 3 === 0 ? '[refuse]' : 'fine');
  const recordIds = (await createRecords(tenant, 'thing', 1_000, mark)).map(({ id }) => id);
  const options = { recordConcurrency: 50, maxRetries: 0 };
  const body = { flowId: flow.id, recordIds, options };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  const first = await finishedBatch(tenant, batchExecutionId);
  expect(first).toMatchObject({ totalRecords: 1_000, failedRecords: 334 });
  const before = await callsOf(tenant);
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/model-configs'));
  const { settings } = data.find(({ id }: { id: string }) => id === some);
  settings.customModel.executorConfig.modelMapping = 'echo';
  await expectStatus(200, tenant.call('PUT', `/v1/model-configs/${some}`, { body: { settings } }));
  const retried = await expectStatus(
    202,
    tenant.call('POST', `/v1/batch/${batchExecutionId}/retry`, { body: {} }),
  );
  expect(retried.recordCount).toBe(334);
  expect(await finishedBatch(tenant, retried.batchId)).toMatchObject({ successCount: 334 });
  expect((await callsOf(tenant)) - before).toBe(334);
});

/** Texts of each of four prompts, of which the later ones use the outputs before. */
const texts = ['A {{ _record.name }}', 'B {{ _record.name }}', 'C {{ a }}', 'D {{ b }} {{ a }}', 'E {{ c }}'];
const names = ['a', 'b', 'c', 'd'];
const usable = [
  [0, 1],
  [0, 1, 2],
  [0, 1, 2, 3],
  [0, 1, 2, 3, 4],
];
const edit = fc.record({ step: fc.nat(3), text: fc.nat(4), model: fc.constantFrom('echo', 'other') });

/** What a full run stores, and which request each step makes: the model says prompts back. */
function fullRun(prompts: readonly { text: string; model: string }[], record: string) {
  const outputs: Record<string, string> = {};
  const requests = prompts.map(({ text, model }, index) => {
    const prompt = text
      .replace('{{ _record.name }}', record)
      .replace(/\{\{ (\w) \}\}/g, (_, name) => outputs[name] ?? '');
    outputs[names[index] as string] = `You said: ${prompt}`;
    return `${index} ${model} ${prompt}`;
  });
  return { outputs: names.map((name) => outputs[name]), requests };
}

test('after 300 edits, each run asks for what changed alone, and stores what a full run would', async () => {
  const tenant = await newTenant();
  const prompts = names.map((_name, index) => ({
    text: texts[usable[index]?.at(-1) ?? 0] as string,
    model: 'echo',
  }));
  const stepsOf = (ids: readonly { id?: string }[]) =>
    prompts.map(({ text, model }, index) => ({
      ...ids[index],
      ...ask(names[index] as string, `generic-openai/${model}`, text),
    }));
  const flow = await publishedFlow(tenant, stepsOf([]));
  const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}`));
  const ids = flowSteps.map(({ id }: { id: string }) => ({ id }));
  const records = await createRecords(tenant, 'thing', 2);
  const seen = new Map(records.map(({ name }) => [name, new Set<string>()]));
  for (const { step, text, model } of fc.sample(edit, { numRuns: 300, seed: 34 })) {
    prompts[step] = { text: texts[usable[step]?.[text] ?? 0] as string, model };
    const body = { flowSteps: stepsOf(ids) };
    await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body }));
    await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
    const run = { recordType: 'thing', options: { reuse: 'unchanged' } };
    const { batchId } = await expectStatus(
      200,
      tenant.call('POST', `/v1/flows/${flow.id}/run-on-record-type`, { body: run }),
    );
    const path = `/v1/flows/${flow.id}/step-results`;
    const rows = (await expectStatus(200, tenant.call('GET', `${path}?limit=8`))).data.filter(
      (row: { batchExecutionId: string }) => row.batchExecutionId === batchId,
    );
    expect(rows).toHaveLength(8);
    for (const { name, id } of records) {
      const expected = fullRun(prompts, name);
      const own = names.map((each) =>
        rows.find(
          (row: { recordId: string; stepName: string }) => row.recordId === id && row.stepName === each,
        ),
      );
      expect(own.map(({ outputPreview }) => outputPreview)).toEqual(expected.outputs);
      expect(own.map(({ reusedFrom }) => reusedFrom !== null)).toEqual(
        expected.requests.map((request) => seen.get(name)?.has(request)),
      );
      for (const request of expected.requests) seen.get(name)?.add(request);
    }
  }
  const all = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  const made = all.filter(({ reusedFrom }) => reusedFrom === null).length;
  expect(made).toBe([...seen.values()].reduce((sum, requests) => sum + requests.size, 0));
  expect(await callsOf(tenant)).toBe(made);
}, 600_000);
