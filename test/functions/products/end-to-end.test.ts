import { expect, test } from 'vitest';
import { createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { finishedRuns } from '../../support/flows/schedules.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { callerWith, newTenant } from '../../support/stack/stack.ts';
import { addCapability, addItem, createProduct, createSurface } from '../../support/surfaces/products.ts';

test('a product from nothing to calls, events, a schedule and its records, and away again', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('Hello {{ person }}', 'greeting')]);
  const agent = await createScriptedAgent(tenant);
  const { id, testApiKey } = await createProduct(tenant, { name: 'Front desk' });
  const capability = async (body: object) => expectStatus(201, addCapability(tenant, id, body));
  const greet = await capability({ capabilityName: 'Greet', flowId: flow.id });
  const ask = await capability({ capabilityName: 'Ask', agentId: agent.id });

  const api = await createSurface(tenant, id, { name: 'API', status: 'active' });
  const path = `/v1/products/${id}/surfaces/${api.id}`;
  await expectStatus(201, addItem(tenant, api, { capabilityId: greet.id }));
  await expectStatus(201, addItem(tenant, api, { capabilityId: ask.id }));
  const { key } = await expectStatus(
    201,
    tenant.call('POST', `${path}/keys`, { body: { environment: 'production' } }),
  );
  const caller = callerWith(key);
  const described = await expectStatus(200, caller('GET', `${path}/openapi.json`));
  expect(Object.keys(described.paths)).toEqual(['/run/greet', '/run/ask']);
  const body = { person: 'Ada' };
  expect(await expectStatus(200, caller('POST', `${path}/run/greet`, { body }))).toMatchObject({
    output: 'Hello Ada',
  });
  const headers = { accept: 'text/event-stream' };
  const stream = await caller('POST', `${path}/run/ask`, {
    body: { message: scripted({ text: 'Gate 12' }) },
    headers,
  });
  expect(stream.body).toContain('Gate 12');
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions`));
  expect(data).toMatchObject([{ surfaceType: 'api', surfaceId: api.id, productId: id, status: 'completed' }]);

  const hook = await createSurface(tenant, id, { name: 'Events', type: 'webhook' });
  await expectStatus(201, addItem(tenant, hook, { capabilityId: greet.id }));
  const event = { body: { person: 'Grace' }, headers: { 'webhook-id': 'one' } };
  const send = () =>
    callerWith(testApiKey.key)('POST', `/v1/products/${id}/surfaces/${hook.id}/webhook/greet`, event);
  const { executionId } = await expectStatus(202, send());
  expect(await expectStatus(202, send())).toEqual({ executionId });
  await eventually(async () => {
    const results = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
    expect(
      results.data.filter(({ outputPreview }: { outputPreview: string }) => outputPreview === 'Hello Grace'),
    ).toHaveLength(1);
  });

  const clock = await createSurface(tenant, id, { name: 'Clock', type: 'schedule' });
  const schedules = `/v1/products/${id}/surfaces/${clock.id}/schedules`;
  const daily = { flowId: flow.id, triggerType: 'recurring', cron: '@daily' };
  const schedule = await expectStatus(201, tenant.call('POST', schedules, { body: daily }));
  await expectStatus(200, tenant.call('POST', `${schedules}/${schedule.id}/run-now`));
  expect(await finishedRuns(tenant, schedule.id)).toMatchObject([{ status: 'completed' }]);

  await expectStatus(200, tenant.call('DELETE', `/v1/products/${id}`));
  for (const credential of [key, testApiKey.key]) {
    await eventually(async () =>
      expect((await callerWith(credential)('POST', `${path}/run/greet`, { body })).status).toBe(401),
    );
  }
  await expectStatus(404, tenant.call('GET', `/v1/schedules/${schedule.id}/runs`));
});
