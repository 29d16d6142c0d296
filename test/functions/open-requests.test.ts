import { expect, test, vi } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { isStreamed } from '../../shared/platform/http/responses/response.ts';
import { createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { createTool } from '../support/files/tools.ts';
import { expectStatus, publishedFlow } from '../support/flows/flows.ts';
import { eventually } from '../support/stack/eventually.ts';
import { type CallResponse, newTenant, stack, type Tenant } from '../support/stack/stack.ts';

const openMax = 50;

/** A request whose response stays open until its caller leaves. */
async function openResponse({ token }: Tenant, method: string, path: string, body?: object, more = {}) {
  const caller = new AbortController();
  const response = await fetch(stack().url + path, {
    method,
    signal: caller.signal,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, leave: () => caller.abort(), response };
}

const silentAgent = (tenant: Tenant) => createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
const messages = [{ role: 'user', content: 'x' }];
const execute = (tenant: Tenant, agentId: string) =>
  openResponse(tenant, 'POST', `/v1/agents/${agentId}/execute`, { messages });
const dispatch = (tenant: Tenant, id: string) =>
  openResponse(tenant, 'POST', '/v1/dispatch', { agent: { id }, messages });
const executionsOf = async (tenant: Tenant, agentId: string) =>
  (await expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}/executions?limit=100`))).data;

const refusal = {
  error: 'Rate limit exceeded',
  details: expect.stringContaining('50 runs are open in front of callers'),
};

test('of 60 runs at once exactly 50 begin, the others are a 429 that says when to come again, and store nothing', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const [silent, quick, others] = await Promise.all([
    silentAgent(tenant),
    createScriptedAgent(tenant),
    createScriptedAgent(other),
  ]);
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, index) => (index % 2 ? execute : dispatch)(tenant, silent.id)),
  );
  const begun = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 429);
  expect([begun.length, refused.length]).toEqual([openMax, 10]);
  for (const { headers, response } of refused) {
    expect(headers.get('retry-after')).toBe('10');
    expect(await response.json()).toEqual(refusal);
  }
  expect(await executionsOf(tenant, silent.id)).toHaveLength(openMax);

  const hello = scripted({ text: 'Hello' });
  await expectStatus(200, run(other, others.id, hello));
  await expectStatus(202, run(tenant, quick.id, hello, { options: { background: true } }));
  expect((await tenant.call('GET', '/v1/agents')).status).toBe(200);

  begun[0]?.leave();
  await vi.waitFor(() => expectStatus(200, run(tenant, quick.id, hello)), { timeout: 20_000, interval: 300 });
  for (const { leave } of begun) leave();
}, 90_000);

test('repetitions of a stream by its idempotency key have places as the first has, and give them back', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/hanging', userPrompt: 'x' };
  const flow = { name: 'Silent', steps: [{ type: 'prompt', name: 'ask', config }] };
  const again = () =>
    openResponse(tenant, 'POST', '/v1/dispatch', { flow }, { 'idempotency-key': 'the-same' });
  const first = await again();
  const all = await Promise.all(Array.from({ length: 60 }, again));
  const begun = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 429);
  expect([begun.length, refused.length]).toEqual([openMax - 1, 11]);
  for (const { response } of refused) expect(await response.json()).toEqual(refusal);
  for (const { leave } of begun) leave();
  await vi.waitFor(
    async () => {
      const one = await again();
      one.leave();
      expect(one.status).toBe(200);
    },
    { timeout: 20_000, interval: 300 },
  );
  first.leave();
}, 60_000);

test('a run that ends, fails or is refused gives its place back', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const outcomes: Record<number, () => Promise<CallResponse>> = {
    200: () => run(tenant, agent.id, scripted({ text: 'Hello' })),
    404: () => run(tenant, 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn', 'x'),
    400: () => run(tenant, agent.id, 'x', { messages: [] }),
    422: () => tenant.call('POST', '/v1/dispatch', { body: { flow: { name: 'None', steps: [] } } }),
  };
  for (let round = 0; round < 14; round++) {
    const answers = await Promise.all(Object.values(outcomes).map((outcome) => outcome()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 404, 422]);
  }
}, 60_000);

test('readers of events have places of their own', async () => {
  const tenant = await newTenant();
  const agent = await silentAgent(tenant);
  const { executionId } = await expectStatus(
    202,
    run(tenant, agent.id, 'x', { options: { background: true } }),
  );
  const path = `/v1/agents/${agent.id}/executions/${executionId}/events`;
  const all = await Promise.all(Array.from({ length: openMax + 1 }, () => openResponse(tenant, 'GET', path)));
  expect(all.map(({ status }) => status).sort()).toEqual([...Array(openMax).fill(200), 429]);
  const more = await execute(tenant, agent.id);
  expect(more.status).toBe(200);
  for (const { leave } of [...all, more]) leave();
  await expectStatus(200, tenant.call('POST', path.replace(/events$/, 'cancel')));
}, 60_000);

test('of 60 tools that wait at once exactly 50 run, and the others are a 429 that runs nothing', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/hanging', userPrompt: 'x', timeoutMs: 15_000 };
  const flow = await publishedFlow(tenant, [{ type: 'prompt', name: 'Ask', config }]);
  const slow = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const quick = await createTool(tenant, { name: 'Quick' });
  const send = (id: string, action: string, more: object = {}) =>
    tenant.call('POST', `/v1/tools/${id}/${action}`, { body: { parameters: {}, ...more } });
  const statuses: number[] = [];
  const all = Array.from({ length: 60 }, async (_, index) => {
    const answer = index % 2 ? send(slow.id, 'execute') : send(slow.id, 'test', { execute: true });
    statuses.push((await answer).status);
  });
  await eventually(() => expect(statuses).toEqual(Array(10).fill(429)));
  expect(await expectStatus(429, send(quick.id, 'execute'))).toEqual(refusal);
  await expectStatus(200, send(quick.id, 'test'));
  await Promise.all(all);
  expect(statuses.filter((status) => status === 200)).toHaveLength(openMax);
  await expectStatus(200, send(quick.id, 'execute'));
}, 60_000);

test('each endpoint that streams says whether its requests last, and of the others those that run a tool', () => {
  const streamed = (endpoints as readonly AnyEndpoint[]).filter(isStreamed);
  expect(streamed.filter(({ open }) => open === undefined).map(({ id }) => id)).toEqual([]);
  const others = (endpoints as readonly AnyEndpoint[]).filter((endpoint) => !isStreamed(endpoint));
  const lasting = others.filter(({ open }) => open !== undefined).map(({ id }) => id);
  expect(lasting.sort()).toEqual(['tool-runs.execute', 'tool-runs.test']);
});
