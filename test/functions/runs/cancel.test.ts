import { expect, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { traceOutline } from '../../support/flows/sound-trace.ts';
import { newCollector, setTelemetry } from '../../support/servers/telemetry.ts';
import { deliveries, sendWebhook, webhookWorld } from '../../support/servers/webhooks.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, stack, type Tenant } from '../../support/stack/stack.ts';

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

test.concurrent('a flow in front of its caller stops, and the caller is told', async () => {
  const tenant = await newTenant();
  const body = { flow: { steps: [pause, template('x')] }, options: { streamResponse: false } };
  const answer = tenant.call('POST', '/v1/dispatch', { body });
  await cancelOnly(tenant);
  expect(await expectStatus(200, answer)).toMatchObject({ success: false, error: 'The run was cancelled' });
  expect(await only(tenant)).toMatchObject({ status: 'cancelled', totalCost: '0' });
});

test.concurrent.each([
  ['inline', false],
  ['stored', true],
])('a flow (%s) that ends before its process looks again stays cancelled', async (_name, isStored) => {
  const tenant = await newTenant();
  const steps = [template('x'), { ...pause, config: { delayMs: 2_500 } }];
  const flow = isStored ? { id: (await publishedFlow(tenant, steps)).id } : { steps };
  const answer = tenant.call('POST', '/v1/dispatch', { body: { flow, options: { streamResponse: false } } });
  const { id } = await only(tenant);
  await expectStatus(200, cancel(tenant, id));
  await expectStatus(200, answer);
  expect(await only(tenant)).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
});

test.concurrent('a flow that waits is cancelled with its batch', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [longWait]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  await cancelOnly(tenant);
  const status = await expectStatus(200, tenant.call('GET', `/v1/batch/status/${batchExecutionId}`));
  expect(status.status).toBe('cancelled');
});

test.concurrent('a flow that waits: it is exported once, with the step in which it waited', async () => {
  const tenant = await newTenant();
  const collector = newCollector();
  await setTelemetry(tenant, { endpoint: collector.endpoint });
  const flow = await publishedFlow(tenant, [template('x'), longWait]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const id = await cancelOnly(tenant);
  expect((await only(tenant)).error).toEqual({ code: 'CANCELLED', message: 'The run was cancelled' });
  const outline = ['run A flow (error)', '  step x', '  step wait (error)', '    wait wait'].join('\n');
  expect(traceOutline(await getTrace(tenant, id))).toBe(outline);
  const agent = await createScriptedAgent(tenant);
  await answered(run(tenant, agent.id, scripted({ text: 'later' })));
  // The later run arrives after all of the cancelled one.
  const [cancelled, later] = await collector.got(2);
  expect(cancelled?.spans.map(({ name }) => name)).toEqual(['A flow', 'x', 'wait', 'wait']);
  expect(later?.spans[0]?.name).toBe('Agent');
});

test.concurrent('a flow that went on after a wait stops in the middle of its step', async () => {
  const tenant = await newTenant();
  const slow = { type: 'prompt', name: 'ask', config: { model: 'generic-openai/hanging', userPrompt: 'x' } };
  const flow = await publishedFlow(tenant, [{ ...longWait, config: { delayMs: 11_000 } }, slow]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  await eventually(async () => expect((await only(tenant)).status).toBe('running'));
  const id = await cancelOnly(tenant);
  const outline = ['run A flow (error)', '  step wait', '    wait wait', '  step ask (error)'].join('\n');
  await eventually(async () =>
    expect(traceOutline(await getTrace(tenant, id))).toBe(`${outline}\n    model chat hanging (error)`),
  );
  const status = await expectStatus(200, tenant.call('GET', `/v1/batch/status/${batchExecutionId}`));
  expect(status).toMatchObject({ status: 'cancelled', processedRecords: 0 });
});

test.concurrent('a flow in the background that waits', async () => {
  const { tenant, flow, path } = await webhookWorld();
  const body = { flowSteps: [template('x'), longWait] };
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body }));
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  await expectStatus(202, sendWebhook(path, deliveries.github({})));
  await eventually(async () => expect((await only(tenant)).status).toBe('paused'));
  const id = await cancelOnly(tenant);
  const outline = ['run A flow (error)', '  step x', '  step wait (error)', '    wait wait'].join('\n');
  expect(traceOutline(await getTrace(tenant, id))).toBe(outline);
});

test.concurrent('a sub-agent by itself: its call fails, and the agent around it goes on', async () => {
  const tenant = await newTenant();
  const inner = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' }, { name: 'Inner' });
  const capabilities = [{ toolName: 'ask', subAgentId: inner.id }];
  const agent = await createScriptedAgent(tenant, {}, { capabilities });
  const script = scripted(calls(['ask', { message: 'x' }]), { text: 'without it' });
  const answer = run(tenant, agent.id, script);
  const path = `/v1/agents/${inner.id}/executions`;
  const { executionId } = await eventually(async () => {
    const [execution] = (await expectStatus(200, tenant.call('GET', path))).data;
    expect(execution?.status).toBe('running');
    return execution;
  });
  await expectStatus(200, cancel(tenant, executionId));
  expect(await answered(answer)).toMatchObject({ success: true, result: 'without it', iterations: 2 });
});

test.concurrent('a flow whose agent runs: the agent says so', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  const step = { type: 'execute-agent', name: 'delegate', config: { agentId: agent.id, message: 'x' } };
  const body = { flow: { steps: [step] }, options: { streamResponse: false } };
  const answer = tenant.call('POST', '/v1/dispatch', { body });
  const path = `/v1/agents/${agent.id}/executions`;
  const executions = async () => (await expectStatus(200, tenant.call('GET', path))).data;
  await eventually(async () => expect(await executions()).toHaveLength(1));
  const rows = await listed(tenant);
  await expectStatus(200, cancel(tenant, rows.find(({ kind }: { kind: string }) => kind === 'flow').id));
  await answer;
  const [{ id }] = await executions();
  await eventually(async () =>
    expect(await expectStatus(200, tenant.call('GET', `${path}/${id}`))).toMatchObject({
      status: 'cancelled',
      error: 'The run around it was cancelled',
    }),
  );
});

test.concurrent('an agent whose flow runs: the flow is cancelled too', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [pause]);
  const agent = await createScriptedAgent(
    tenant,
    {},
    { capabilities: [{ toolName: 'wait', flowId: flow.id }] },
  );
  const answer = run(tenant, agent.id, scripted(calls(['wait']), { text: 'x' }));
  const { id } = await only(tenant);
  await eventually(async () => expect((await getTrace(tenant, id)).spans.length).toBeGreaterThan(2));
  await expectStatus(200, cancel(tenant, id));
  await answer;
  const ended = await eventually(async () => {
    const rows = await listed(tenant);
    expect(rows).toHaveLength(2);
    return rows;
  });
  expect(ended.map(({ kind, status }: { kind: string; status: string }) => [kind, status])).toEqual(
    expect.arrayContaining([
      ['agent', 'cancelled'],
      ['flow', 'cancelled'],
    ]),
  );
});

test.concurrent('a flow whose caller leaves is cancelled', async () => {
  const tenant = await newTenant();
  const body = JSON.stringify({ flow: { steps: [pause] }, options: { streamResponse: true } });
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' };
  const url = `${stack().url}/v1/dispatch`;
  await fetch(url, { method: 'POST', headers, body, signal: leaving.signal });
  await only(tenant);
  leaving.abort();
  await eventually(async () =>
    expect(await only(tenant)).toMatchObject({
      status: 'cancelled',
      error: { code: 'CANCELLED', message: 'The caller disconnected' },
    }),
  );
});

test.concurrent('a batch', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [longWait]);
  const recordIds = (await createRecords(tenant, 'thing', 3)).map(({ id }) => id);
  await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body: { flowId: flow.id, recordIds } }));
  await cancelOnly(tenant);
});

test.concurrent('an agent that waits for its caller', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const clientTools = [{ name: 'locate', description: 'Where', parametersSchema: { type: 'object' } }];
  await expectStatus(200, run(tenant, agent.id, scripted(calls(['locate'])), { clientTools }));
  expect(await only(tenant)).toMatchObject({ kind: 'agent', status: 'paused', completedAt: null });
  await cancelOnly(tenant);
});

test.concurrent('needs the EXECUTE of its kind', async () => {
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
