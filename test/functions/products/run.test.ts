import { expect, test } from 'vitest';
import { createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { addCapability, addItem, createProduct, createSurface } from '../../support/surfaces/products.ts';

const greeting = template('Hello {{ person }}', 'greeting');

/** An active api surface with an item `greet` that runs a published flow, and a live key of it. */
async function world(steps: object[] = [greeting], more: object = {}) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const { id: productId } = await createProduct(tenant);
  const given = { capabilityName: 'Greet', flowId: flow.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  const surface = await createSurface(tenant, productId, { status: 'active', ...more });
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const key = await keyOf(tenant, path, { environment: 'production' });
  return { tenant, flow, productId, capability, surface, item, path, key };
}

const keyOf = async ({ call }: Tenant, path: string, body: object = {}) =>
  (await expectStatus(201, call('POST', `${path}/keys`, { body }))).key as string;

const run = (credential: string, path: string, body: object = { person: 'Ada' }, slug = 'greet') =>
  callerWith(credential)('POST', `${path}/run/${slug}`, { body });

test('a key of the surface runs a flow with its parameters, and gets JSON or events', async () => {
  const { path, key, tenant } = await world();
  const answer = await expectStatus(200, run(key, path));
  expect(answer).toEqual({
    success: true,
    executionId: expect.stringMatching(/^exec_/),
    status: 'completed',
    output: 'Hello Ada',
    error: null,
    durationMs: expect.any(Number),
  });
  const headers = { accept: 'text/event-stream' };
  const body = { person: 'Grace' };
  const streamed = await callerWith(key)('POST', `${path}/run/greet`, { body, headers });
  expect(streamed.headers.get('content-type')).toContain('text/event-stream');
  expect(streamed.body).toContain('Hello Grace');
  const [used] = (await expectStatus(200, tenant.call('GET', `${path}/keys`))).data;
  expect(used).toMatchObject({ usageCount: 2, lastUsedAt: expect.any(String) });
});

test('callers learn the outcome of a run, and nothing of its steps', async () => {
  const inner = template('the inner text', 'inner');
  const { path, key } = await world([inner, template('Hello {{ person }}, {{ inner | size }}')]);
  const headers = { accept: 'text/event-stream' };
  const body = { person: 'Ada' };
  const streamed = await callerWith(key)('POST', `${path}/run/greet`, { body, headers });
  const told = JSON.stringify(await expectStatus(200, run(key, path))) + streamed.body;
  expect(told).toContain('Hello Ada, 14');
  expect(told).not.toContain('the inner text');
  const types = [...String(streamed.body).matchAll(/"type":"(\w+)"/g)].map(([, type]) => type);
  expect(types).toEqual(['execution_start', 'execution_complete']);
  for (const member of ['totalCost', 'totalTokens', 'totalSteps']) expect(told).not.toContain(member);
});

test('an agent gets its message, and its execution names the surface’s type', async () => {
  const { tenant, productId, surface, path, key } = await world();
  const agent = await createScriptedAgent(tenant);
  const given = { capabilityName: 'Ask', agentId: agent.id };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  const message = scripted({ text: 'an answer' });
  const answer = await expectStatus(200, run(key, path, { message }, 'ask'));
  expect(answer).toMatchObject({ success: true, output: 'an answer' });
  const executions = `/v1/agents/${agent.id}/executions`;
  const { data } = await expectStatus(200, tenant.call('GET', executions));
  expect(data).toMatchObject([{ surfaceType: 'api', status: 'completed' }]);
  const { details } = await expectStatus(400, run(key, path, {}, 'ask'));
  expect(details).toEqual([expect.objectContaining({ code: 'INVALID_VALUE' })]);
});

test('parameters that do not fit are a 400, and nothing runs', async () => {
  const { path, key, tenant, flow, capability } = await world();
  const parametersSchema = {
    type: 'object',
    properties: { person: { type: 'string', maxLength: 3 } },
    required: ['person'],
  };
  const change = { body: { parametersSchema } };
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/products/${capability.productId}/capabilities/${capability.id}`, change),
  );
  for (const [body, at] of [
    [{ person: 'Grace' }, 'person'],
    [{ person: 1 }, 'person'],
    [{}, ''],
  ] as const) {
    const { details } = await expectStatus(400, run(key, path, body));
    expect(details).toEqual([expect.objectContaining({ code: 'INVALID_VALUE' })]);
    expect(details[0].path).toContain(at);
  }
  await expectStatus(400, run(key, path, { '1 bad name': 1, person: 'Ada' }));
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
  expect(data).toEqual([]);
});

test('a key works on its own surface only, and within its scopes', async () => {
  const { tenant, productId, path, key } = await world();
  const other = await createSurface(tenant, productId, { status: 'active' });
  const elsewhere = `/v1/products/${productId}/surfaces/${other.id}`;
  const { details } = await expectStatus(403, run(key, elsewhere));
  expect(details).toContain('another surface');
  const narrow = await keyOf(tenant, path, { environment: 'production', scopes: ['ask'] });
  expect((await expectStatus(403, run(narrow, path))).details).toContain('scopes');
  const wide = await keyOf(tenant, path, { environment: 'production', scopes: ['ask', 'greet'] });
  await expectStatus(200, run(wide, path));
  const stranger = await world();
  expect(await expectStatus(404, run(stranger.key, path))).toEqual(notFoundBody('Surface'));
});

test('a deleted or expired key is refused, as is one beyond its limit a minute', async () => {
  const { tenant, path } = await world();
  const given = { environment: 'production', rateLimitPerMinute: 2 };
  const { id, key } = await expectStatus(201, tenant.call('POST', `${path}/keys`, { body: given }));
  await expectStatus(200, run(key, path));
  await expectStatus(200, run(key, path));
  const refused = await run(key, path);
  expect(refused.status).toBe(429);
  expect(refused.body.details).toBe('Minutely limit of 2 requests reached');
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  await expectStatus(200, tenant.call('DELETE', `${path}/keys/${id}`));
  await expectStatus(401, run(key, path));
  const expiresAt = new Date(Date.now() + 1_500).toISOString();
  const brief = await keyOf(tenant, path, { expiresAt });
  await expectStatus(200, run(brief, path));
  await new Promise((resolve) => setTimeout(resolve, 1_550));
  await expectStatus(401, run(brief, path));
});

test('an active surface responds, a draft to test keys only, a paused one to nobody', async () => {
  const { tenant, path, key } = await world();
  const trial = await keyOf(tenant, path);
  const statuses = async (status: string) => {
    await expectStatus(200, tenant.call('PUT', path, { body: { status } }));
    return [(await run(key, path)).status, (await run(trial, path)).status];
  };
  expect(await statuses('draft')).toEqual([403, 200]);
  expect(await statuses('paused')).toEqual([403, 403]);
  expect(await statuses('active')).toEqual([200, 200]);
});

test('a live key runs the published version, a test key the draft', async () => {
  const { tenant, flow, path, key } = await world();
  const trial = await keyOf(tenant, path);
  const flowSteps = [template('Bye {{ person }}', 'greeting')];
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps } }));
  expect((await expectStatus(200, run(key, path))).output).toBe('Hello Ada');
  expect((await expectStatus(200, run(trial, path))).output).toBe('Bye Ada');
});

test('an API key needs PRODUCTS:EXECUTE, or the permission of what it runs', async () => {
  const { tenant, path } = await world();
  const statusOf = async (permission: string) => {
    const { key } = await newKey(tenant, { permissions: [permission] });
    return (await run(key, path)).status;
  };
  expect(await statusOf('PRODUCTS:EXECUTE')).toBe(200);
  expect(await statusOf('FLOWS:EXECUTE')).toBe(200);
  expect(await statusOf('AGENTS:EXECUTE')).toBe(403);
  expect(await statusOf('PRODUCTS:WRITE')).toBe(403);
  expect((await run(tenant.token, path)).status).toBe(200);
});

test('what is disabled, unknown or deleted is a 404 that says so', async () => {
  const { tenant, flow, productId, path, key, item, capability } = await world();
  expect(await expectStatus(404, run(key, path, {}, 'other'))).toEqual(notFoundBody('Endpoint'));
  const put = (to: string, enabled: boolean) => tenant.call('PUT', to, { body: { enabled } });
  for (const to of [`${path}/items/${item.id}`, `/v1/products/${productId}/capabilities/${capability.id}`]) {
    await expectStatus(200, put(to, false));
    expect(await expectStatus(404, run(key, path))).toEqual(notFoundBody('Endpoint'));
    await expectStatus(200, put(to, true));
  }
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect((await expectStatus(404, run(key, path))).details).toEqual([
    { code: 'NOT_FOUND', message: 'The flow that this endpoint runs was deleted' },
  ]);
  await expectStatus(200, tenant.call('DELETE', path));
  expect(await expectStatus(404, run(tenant.token, path))).toEqual(notFoundBody('Surface'));
});

test('a surface of another type has no such endpoint', async () => {
  const { path, key } = await world([greeting], { type: 'webhook' });
  expect(await expectStatus(404, run(key, path))).toEqual(notFoundBody('Endpoint'));
});

test('a flow without steps is a 422', async () => {
  const { tenant, productId, surface, path, key } = await world();
  const flow = await createFlow(tenant, []);
  const given = { capabilityName: 'Empty', flowId: flow.id };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  await expectStatus(422, run(key, path, {}, 'empty'));
});

test('a change of what an item runs, and of the flow itself, takes effect with the next call', async () => {
  const { tenant, flow, path, key, productId, surface, item } = await world();
  await expectStatus(200, run(key, path));
  const flowSteps = [template('Bye {{ person }}')];
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps } }));
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  expect(await expectStatus(200, run(key, path))).toMatchObject({ output: 'Bye Ada' });
  const other = await publishedFlow(tenant, [template('Hi {{ person }}')]);
  const given = { capabilityName: 'Other', flowId: other.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(200, tenant.call('DELETE', `${path}/items/${item.id}`));
  const again = { capabilityId: capability.id, endpointSlug: 'greet' };
  await expectStatus(201, addItem(tenant, surface, again));
  expect(await expectStatus(200, run(key, path))).toMatchObject({ output: 'Hi Ada' });
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${other.id}`));
  expect((await run(key, path)).status).toBe(404);
});

test('a live key learns that a run failed, and not why; a test key and the tenant do', async () => {
  const broken = {
    type: 'transform-data',
    name: 'Break',
    config: { script: 'throw new Error("our internals")' },
  };
  const { tenant, path, key } = await world([broken]);
  const test = await keyOf(tenant, path);
  const headers = { accept: 'text/event-stream' };
  const body = { person: 'Ada' };
  const told = await expectStatus(200, run(key, path));
  expect(told).toMatchObject({ success: false, status: 'failed', error: 'The run failed' });
  const streamed = await callerWith(key)('POST', `${path}/run/greet`, { body, headers });
  expect(streamed.body).toContain('The run failed');
  expect(streamed.body).not.toContain('our internals');
  for (const credential of [test, tenant.token]) {
    expect((await expectStatus(200, run(credential, path))).error).toContain('our internals');
  }
});

test.each([
  ['_record', 'reserved'],
  ['constructor', 'reserved'],
  ['1bad', 'letters'],
])('a parameter named %s is a 400 that says what names are', async (name, expected) => {
  const { path, key } = await world();
  const { details } = await expectStatus(400, run(key, path, { [name]: 1 }));
  expect(details).toEqual([{ path: name, code: 'INVALID_KEY', message: expect.stringContaining(expected) }]);
});

test('a run says which surface started it and with which key, and has the labels of the headers', async () => {
  const { path, key, tenant, productId, surface } = await world();
  const own = await newKey(tenant, { permissions: ['PRODUCTS:EXECUTE'] });
  const headers = { 'x-run-tags': 'a, b', 'x-session-id': 'visit 1' };
  const call = (credential: string, more: object = {}) =>
    callerWith(credential)('POST', `${path}/run/greet`, { body: { person: 'Ada' }, ...more });
  await expectStatus(200, call(key, { headers }));
  await expectStatus(200, call(own.key));
  const place = { type: 'surface', productId, surfaceId: surface.id };
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/runs?surfaceId=${surface.id}`));
  expect(data).toMatchObject([
    { kind: 'flow', trigger: { ...place, apiKeyId: own.id }, tags: [], sessionId: null },
    {
      kind: 'flow',
      trigger: { ...place, apiKeyId: null, userId: null },
      tags: ['a', 'b'],
      sessionId: 'visit 1',
    },
  ]);
  const refused = await call(key, { headers: { 'x-run-tags': 'a b' } });
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'X-Run-Tags' }] } });
});
