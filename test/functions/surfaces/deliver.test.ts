import { expect, test } from 'vitest';
import { dispatchHere } from '../../shared/execution/dispatch/dispatch-here.ts';
import { approve, calls, createScriptedAgent, followed, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus, template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import type { Tenant } from '../../support/stack/stack.ts';
import { settled, verified, webhookSurface } from '../../support/surfaces/deliveries.ts';

const fails = { type: 'transform-data', name: 'fails', config: { script: 'throw new Error("no luck")' } };

test.concurrent('the end of a flow reaches the webhook, signed, and its delivery is listed', async () => {
  const world = await webhookSurface();
  const { executionId } = await expectStatus(200, world.run());
  const [received] = await world.got();
  if (!received) throw new Error('Nothing came');
  const [delivery] = await settled(world);
  expect(received.headers).toMatchObject({
    'webhook-id': delivery.id,
    'content-type': 'application/json',
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
  });
  const { productId, surfaceId } = world.place;
  expect(verified(world.secret, received)).toEqual({
    type: 'execution.completed',
    timestamp: delivery.createdAt,
    data: {
      executionId,
      productId,
      surfaceId,
      surfaceType: 'api',
      status: 'completed',
      output: 'Hello Ada',
      error: null,
    },
  });
  expect(delivery).toEqual({
    id: expect.stringMatching(/^delivery_/),
    executionId,
    type: 'execution.completed',
    status: 'delivered',
    nextAttemptAt: null,
    createdAt: expect.any(String),
    attempts: [{ at: expect.any(String), statusCode: 204, error: null, durationMs: expect.any(Number) }],
  });
  expect(() => verified(world.secret, { ...received, body: `${received.body} ` })).toThrow(/signature/);
});

test.concurrent('a failed flow is an execution.failed with its error, and no other output', async () => {
  const world = await webhookSurface({ steps: [template('so far', 'first'), fails] });
  await expectStatus(200, world.run());
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '')).toMatchObject({
    type: 'execution.failed',
    data: { status: 'failed', output: null, error: expect.stringContaining('no luck') },
  });
});

test.concurrent('only the events that the webhook takes are sent', async () => {
  const world = await webhookSurface({ webhook: { events: ['execution.failed'] } });
  await expectStatus(200, world.run());
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await world.list()).data).toEqual([]);
});

test.concurrent('a surface without a webhook has no deliveries, and runs of others than its callers neither', async () => {
  const world = await webhookSurface();
  const { tenant, path, flowId } = world;
  const dispatch = { body: { flow: { id: flowId }, inputs: { person: 'x' } } };
  await tenant.call('POST', '/v1/dispatch', dispatch);
  await expectStatus(200, tenant.call('PUT', path, { body: { outbound: {} } }));
  await expectStatus(200, world.run());
  expect((await world.list()).data).toEqual([]);
});

test.concurrent('a large output is left out, and says so', async () => {
  const world = await webhookSurface({ steps: [template('{{ person }}', 'out')] });
  await expectStatus(200, world.run({ person: 'x'.repeat(20_001) }));
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '').data).toMatchObject({ output: null, outputOmitted: true });
});

test.concurrent('a flow that waits and continues in the background is told of at its end, once', async () => {
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 11_000 } };
  const world = await webhookSurface({
    steps: [template('{{ person }}', 'first'), wait, template('{{ first }}!')],
  });
  expect(await expectStatus(200, world.run())).toMatchObject({ status: 'paused' });
  expect((await world.list()).data).toEqual([]);
  const [delivery] = await settled(world);
  expect(delivery).toMatchObject({ status: 'delivered', type: 'execution.completed' });
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '').data).toMatchObject({
    output: 'Ada!',
    executionId: delivery.executionId,
  });
}, 60_000);

test.concurrent('cancelling the batch of a suspended flow tells the webhook', async () => {
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } };
  const { tenant, place, flowId, got } = await webhookSurface({ steps: [template('one'), wait] });
  const surface = { type: 'api', ...place, notifies: ['execution.failed' as const] };
  const { result } = await dispatchHere(tenant, { flow: { id: flowId } }, {}, { surface });
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${result.batchExecutionId}`));
  const [received] = await got();
  expect(JSON.parse(received?.body ?? '')).toMatchObject({
    type: 'execution.failed',
    data: { executionId: result.executionId, status: 'cancelled', error: 'The run was cancelled' },
  });
});

const asks =
  (config: object = {}) =>
  (tenant: Tenant) =>
    createScriptedAgent(tenant, config);

test.concurrent('the end of an agent in front of its caller is sent with its answer', async () => {
  const world = await webhookSurface({ agent: asks() });
  const { executionId } = await expectStatus(200, world.run({ message: scripted({ text: 'an answer' }) }));
  const [received] = await world.got();
  if (!received) throw new Error('Nothing came');
  expect(verified(world.secret, received)).toMatchObject({
    type: 'execution.completed',
    data: { executionId, status: 'completed', output: 'an answer', error: null },
  });
  const executions = `/v1/agents/${world.agentId}/executions`;
  const { data } = await expectStatus(200, world.tenant.call('GET', executions));
  const named = { ...world.place, surfaceType: 'api' };
  expect(data).toMatchObject([named]);
  expect(await expectStatus(200, world.tenant.call('GET', `${executions}/${executionId}`))).toMatchObject(
    named,
  );
});

test.concurrent('an agent that keeps nothing sends no output', async () => {
  const world = await webhookSurface({ agent: asks({ loggingPolicy: 'off' }) });
  await expectStatus(200, world.run({ message: scripted({ text: 'an answer' }) }));
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '').data).toMatchObject({ output: null, outputOmitted: true });
});

test.concurrent('an agent that pauses is told of once, when it was approved and has ended', async () => {
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const world = await webhookSurface({ agent: asks({ tools }) });
  const script = scripted(calls(['calculator', { expression: '6 * 7' }]), { text: 'done' });
  const { executionId, status } = await expectStatus(200, world.run({ message: script }));
  expect(status).toBe('paused');
  expect((await world.list()).data).toEqual([]);
  const { tenant, agentId = '' } = world;
  const events = await followed(tenant, agentId, executionId);
  const { approvalId } = events.at(-1) as { approvalId?: string };
  await expectStatus(200, approve(tenant, agentId, { executionId, approvalId, decision: 'approved' }));
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '').data).toMatchObject({ executionId, output: 'done' });
});

test.concurrent('a cancelled agent is an execution.failed that says so', async () => {
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const world = await webhookSurface({ agent: asks({ tools }) });
  const { executionId } = await expectStatus(
    200,
    world.run({ message: scripted(calls(['calculator', { expression: '1' }])) }),
  );
  const path = `/v1/agents/${world.agentId}/executions/${executionId}/cancel`;
  await expectStatus(200, world.tenant.call('POST', path));
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '')).toMatchObject({
    type: 'execution.failed',
    data: { executionId, status: 'cancelled', output: null },
  });
});

test.concurrent('a flow that a webhook surface starts in the background is told of at its end', async () => {
  const world = await webhookSurface({ type: 'webhook' });
  const { executionId } = await expectStatus(202, world.run());
  const [received] = await world.got();
  if (!received) throw new Error('Nothing came');
  expect(verified(world.secret, received)).toMatchObject({
    type: 'execution.completed',
    data: { ...world.place, executionId, surfaceType: 'webhook', output: 'Hello Ada' },
  });
});

test.concurrent('so is one that fails', async () => {
  const world = await webhookSurface({ type: 'webhook', steps: [template('{{ person }}', 'first'), fails] });
  const { executionId } = await expectStatus(202, world.run());
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '')).toMatchObject({
    type: 'execution.failed',
    data: { executionId, status: 'failed', output: null, error: expect.stringContaining('no luck') },
  });
});

test.concurrent('so is an agent that a webhook surface starts', async () => {
  const world = await webhookSurface({ type: 'webhook', agent: asks() });
  const { executionId } = await expectStatus(202, world.run({ message: scripted({ text: 'an answer' }) }));
  const [received] = await world.got();
  expect(JSON.parse(received?.body ?? '').data).toMatchObject({ executionId, output: 'an answer' });
  const details = `/v1/agents/${world.agentId}/executions/${executionId}`;
  expect(await expectStatus(200, world.tenant.call('GET', details))).toMatchObject({
    ...world.place,
    surfaceType: 'webhook',
  });
});

test.concurrent('twenty ends at once are twenty deliveries, each sent once', async () => {
  const world = await webhookSurface();
  const answers = await Promise.all(Array.from({ length: 20 }, () => expectStatus(200, world.run())));
  const received = await world.got(20);
  const deliveries = await settled(world, 20);
  const ids = received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(20);
  expect(new Set(deliveries.map(({ id }: { id: string }) => id))).toEqual(new Set(ids));
  const told = received.map(({ body }) => JSON.parse(body).data.executionId);
  expect(new Set(told)).toEqual(new Set(answers.map(({ executionId }) => executionId)));
});

test.concurrent.each([
  ['an address that is private', 'http://10.0.0.7:8080/', /not a public address/],
  ['a name of such an address', 'http://localhost:9090/', /not a public address/],
])('%s is refused, and the delivery fails at once', async (_what, url, error) => {
  const world = await webhookSurface({ webhook: { url } });
  await expectStatus(200, world.run());
  const [delivery] = await settled(world);
  expect(delivery).toMatchObject({
    status: 'failed',
    nextAttemptAt: null,
    attempts: [{ statusCode: null, error: expect.stringMatching(error) }],
  });
});

test.concurrent('a redirect is not followed', async () => {
  const world = await webhookSurface({ answers: '302' });
  await expectStatus(200, world.run());
  await world.got();
  const { data } = await eventually(async () => {
    const page = await world.list();
    expect(page.data[0].attempts).toHaveLength(1);
    return page;
  });
  expect(data[0]).toMatchObject({ status: 'pending', attempts: [{ statusCode: 302 }] });
});

test.concurrent('records that a run creates name the surface, and can be listed by it', async () => {
  const config = { recordType: 'lead', recordName: 'Ada', sourceVariable: 'person' };
  const world = await webhookSurface({ steps: [{ type: 'upsert-record', name: 'save', config }] });
  await expectStatus(200, world.run({ person: { city: 'London' } }));
  const { tenant, surface } = world;
  const body = { type: 'lead', name: 'by hand' };
  await expectStatus(201, tenant.call('POST', '/v1/records', { body }));
  const listed = await expectStatus(200, tenant.call('GET', `/v1/records?product_surface_id=${surface.id}`));
  expect(listed.data).toMatchObject([{ name: 'Ada', productSurfaceId: surface.id }]);
});
