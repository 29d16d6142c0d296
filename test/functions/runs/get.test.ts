import { expect, test } from 'vitest';
import { answered, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const get = (tenant: Tenant, id: string) => expectStatus(200, tenant.call('GET', `/v1/runs/${id}`));

const dispatched = (tenant: Tenant, body: object) =>
  expectStatus(
    200,
    tenant.call('POST', '/v1/dispatch', { body: { ...body, options: { streamResponse: false } } }),
  );

test('a run of a flow has what it was given and what came of it', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello {{ who }}')]);
  const { executionId } = await dispatched(tenant, { flow: { id: flow.id }, inputs: { who: 'Ada' } });
  expect(await get(tenant, executionId)).toMatchObject({
    id: executionId,
    kind: 'flow',
    flowId: flow.id,
    input: { inputs: { who: 'Ada' } },
    output: 'hello Ada',
  });
});

test('one on a stored record too', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello {{ _record.name }}')]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const { executionId } = await dispatched(tenant, { flow: { id: flow.id }, record: { id: record?.id } });
  expect(await get(tenant, executionId)).toMatchObject({ input: { inputs: {} }, output: 'hello thing-0' });
});

test('a run of an inline flow, whose results are not stored, has neither', async () => {
  const tenant = await newTenant();
  const { executionId } = await dispatched(tenant, { flow: { steps: [template('x')] } });
  expect(await get(tenant, executionId)).toMatchObject({ status: 'completed', input: null, output: null });
});

test('an output over 1 MB is at a signed address', async () => {
  const tenant = await newTenant();
  const script = 'return "x".repeat(1_200_000)';
  const flow = await publishedFlow(tenant, [{ type: 'transform-data', name: 's', config: { script } }]);
  const { executionId } = await dispatched(tenant, { flow: { id: flow.id } });
  const { output, outputUrl } = await get(tenant, executionId);
  expect(output).toBeNull();
  expect(await (await fetch(outputUrl)).json()).toHaveLength(1_200_000);
});

test('a run of an agent has its messages and its answer; without a log it has neither', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const script = scripted({ text: 'Hello' });
  const { executionId } = await answered(run(tenant, agent.id, script));
  expect(await get(tenant, executionId)).toMatchObject({
    kind: 'agent',
    input: { messages: [{ role: 'user', content: script }] },
    output: 'Hello',
  });
  const silent = await createScriptedAgent(tenant, { loggingPolicy: 'off' });
  const { executionId: unlogged } = await answered(run(tenant, silent.id, script));
  expect(await get(tenant, unlogged)).toMatchObject({ status: 'completed', input: null, output: null });
});

test('a batch has its records', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const recordIds = (await createRecords(tenant, 'thing', 2)).map(({ id }) => id);
  const body = { flowId: flow.id, recordIds };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await finishedBatch(tenant, batchExecutionId);
  expect(await get(tenant, batchExecutionId)).toMatchObject({
    kind: 'batch',
    input: { recordIds },
    output: null,
  });
});

test('what is no id of a run is a 400', async () => {
  const tenant = await newTenant();
  for (const id of ['x', 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn', 'exec_1']) {
    expect((await tenant.call('GET', `/v1/runs/${id}`)).status).toBe(400);
  }
});
