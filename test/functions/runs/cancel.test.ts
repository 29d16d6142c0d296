import { expect, test } from 'vitest';
import { agentOf, calls, run, scripted } from '../../support/agent-runs.ts';
import { eventually } from '../../support/eventually.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../../support/flows.ts';
import { newKey } from '../../support/keys.ts';
import { newTenant, type Tenant } from '../../support/stack.ts';

const cancel = (tenant: Pick<Tenant, 'call'>, id: string) => tenant.call('POST', `/v1/runs/${id}/cancel`);

const listed = async (tenant: Tenant) =>
  (await expectStatus(200, tenant.call('GET', '/v1/runs?root=false'))).data;

async function only(tenant: Tenant) {
  const [row] = await eventually(async () => {
    const rows = await listed(tenant);
    expect(rows).toHaveLength(1);
    return rows;
  });
  return row;
}

/** Cancels the only run of the tenant, and a second time. */
async function cancelOnly(tenant: Tenant) {
  const { id } = await only(tenant);
  expect(await expectStatus(200, cancel(tenant, id))).toEqual({ id, status: 'cancelled' });
  expect(await only(tenant)).toMatchObject({ id, status: 'cancelled', completedAt: expect.any(String) });
  expect((await cancel(tenant, id)).status).toBe(409);
  return id;
}

const pause = { type: 'wait-until', name: 'wait', config: { delayMs: 8_000 } };
const longWait = { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } };

test('a flow in front of its caller stops, and the caller is told', async () => {
  const tenant = await newTenant();
  const body = { flow: { steps: [pause, template('x')] }, options: { streamResponse: false } };
  const answer = tenant.call('POST', '/v1/dispatch', { body });
  await cancelOnly(tenant);
  expect(await expectStatus(200, answer)).toMatchObject({ success: false, error: 'The run was cancelled' });
  expect(await only(tenant)).toMatchObject({ status: 'cancelled', totalCost: '0' });
});

test('a flow that waits is cancelled with its batch', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [longWait]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  await cancelOnly(tenant);
  const status = await expectStatus(200, tenant.call('GET', `/v1/batch/status/${batchExecutionId}`));
  expect(status.status).toBe('cancelled');
});

test('a batch', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [longWait]);
  const recordIds = (await createRecords(tenant, 'thing', 3)).map(({ id }) => id);
  await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body: { flowId: flow.id, recordIds } }));
  await cancelOnly(tenant);
});

test('an agent that waits for its caller', async () => {
  const tenant = await newTenant();
  const agent = await agentOf(tenant);
  const clientTools = [{ name: 'locate', description: 'Where', parametersSchema: { type: 'object' } }];
  await expectStatus(200, run(tenant, agent.id, scripted(calls(['locate'])), { clientTools }));
  expect(await only(tenant)).toMatchObject({ kind: 'agent', status: 'paused', completedAt: null });
  await cancelOnly(tenant);
});

test('needs the EXECUTE of its kind', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [longWait]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const agents = await newKey(tenant, { permissions: ['AGENTS:EXECUTE'] });
  expect((await cancel(agents, executionId)).status).toBe(404);
  const reader = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  expect((await cancel(reader, executionId)).status).toBe(403);
  expect((await cancel(await newTenant(), executionId)).status).toBe(404);
  const flows = await newKey(tenant, { permissions: ['FLOWS:EXECUTE'] });
  expect((await cancel(flows, executionId)).status).toBe(200);
});
