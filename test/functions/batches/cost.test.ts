import { expect, test } from 'vitest';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const cost = ({ call }: Tenant, id: string) => call('GET', `/v1/batch/${id}/cost`);
// A model of the price list, on a server that is nobody's.
const prompt = (userPrompt: string) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/gpt-4o-mini', userPrompt },
});

test('the cost of a batch is the exact sum of its step results', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt('{{ _record.name }}'), prompt('again')]);
  await createRecords(tenant, 'thing', 7);
  const { batchId } = (await runFlowOnRecords(tenant, flow.id, 'thing')).body;
  await finishedBatch(tenant, batchId);
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  expect(rows).toHaveLength(14);
  // In units of 10^-12 USD, where all of them are whole.
  const sum = rows.reduce((total, { estimatedCost }) => total + Math.round(Number(estimatedCost) * 1e12), 0);
  expect(sum).toBeGreaterThan(0);
  const answer = await expectStatus(200, cost(tenant, batchId));
  expect(answer).toEqual({ batchExecutionId: batchId, totalCostUsd: sum / 1e12 });
});

test('a batch without models costs nothing', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  await createRecords(tenant, 'thing', 1);
  const { batchId } = (await runFlowOnRecords(tenant, flow.id, 'thing')).body;
  expect((await expectStatus(200, cost(tenant, batchId))).totalCostUsd).toBe(0);
});

test('400 for a malformed id; 404 for an unknown one and another tenant’s', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const flow = await publishedFlow(other, [template('x')]);
  await createRecords(other, 'thing', 1);
  const { batchId } = (await runFlowOnRecords(other, flow.id, 'thing')).body;
  await expectStatus(400, cost(tenant, 'batch_1'));
  for (const id of [`batch_${'0'.repeat(26)}`, batchId]) {
    expect(await expectStatus(404, cost(tenant, id))).toEqual(notFoundBody('Batch'));
  }
});
