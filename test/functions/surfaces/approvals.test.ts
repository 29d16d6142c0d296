import { expect, test } from 'vitest';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { readEvents } from '../../support/stack/sse.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { addSurfaceKey, postMcp } from '../../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createProduct, createSurface } from '../../support/surfaces/products.ts';

/** A surface with an agent whose tool needs an approval. */
async function world(type: 'api' | 'mcp') {
  const tenant = await newTenant();
  const tools = { toolIds: ['builtin:calculator'], approval: { require: ['calculator'] } };
  const agent = await createScriptedAgent(tenant, { tools });
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId, { type, status: 'active' });
  const given = { capabilityName: 'Ask', agentId: agent.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const message = scripted(calls(['calculator', { expression: '7*6' }]), { text: 'done' });
  return { path, message, key: await addSurfaceKey(tenant, path, { environment: 'production' }) };
}

const internal = /calculator|7\*6|appr_/;

test('a caller of an api surface learns that a call needs an approval, and nothing of the call', async () => {
  const { path, key, message } = await world('api');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { body } = await fetch(`${stack().url}${path}/run/ask`, {
    method: 'POST',
    body: JSON.stringify({ message }),
    headers: { ...headers, accept: 'text/event-stream' },
  });
  const last = (await Array.fromAsync(readEvents(body as ReadableStream<Uint8Array>))).at(-1)?.data;
  expect(last).toMatchObject({ type: 'await', awaitReason: 'approval' });
  expect(JSON.stringify(last)).not.toMatch(internal);
});

test('a tool of an mcp surface says that its run waits for an approval, and nothing of the call', async () => {
  const { path, key, message } = await world('mcp');
  const params = { name: 'ask', arguments: { message } };
  const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(text).toContain('waits for an approval by its operator');
  expect(text).not.toMatch(internal);
  expect(text).not.toContain('"isError":true');
});

const waitingSteps = {
  approval: { type: 'approval', name: 'Ask', config: { question: 'Is it inside?' } },
  callback: { type: 'wait-for-callback', name: 'Hear', config: { timeoutMinutes: 60 } },
};

/** A surface with a flow whose step waits, in another flow. */
async function waitingFlow(type: 'api' | 'mcp', step: object) {
  const tenant = await newTenant();
  const inner = await publishedFlow(tenant, [step]);
  const outer = await publishedFlow(tenant, [{ type: 'flow', name: 'Inner', config: { flowId: inner.id } }]);
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId, { type, status: 'active' });
  const given = { capabilityName: 'Ask', flowId: outer.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  return { path, key: await addSurfaceKey(tenant, path, { environment: 'production' }) };
}

test.each(Object.entries(waitingSteps))(
  'a caller of an api surface sees no question and no address of an %s step',
  async (_kind, step) => {
    const { path, key } = await waitingFlow('api', step);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const { body } = await fetch(`${stack().url}${path}/run/ask`, {
      method: 'POST',
      body: '{}',
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const last = (await Array.fromAsync(readEvents(body as ReadableStream<Uint8Array>))).at(-1)?.data;
    expect(last).toMatchObject({ type: 'await', awaitReason: 'wait' });
    expect(last).not.toHaveProperty('waits');
    expect(JSON.stringify(last)).not.toMatch(/inside|callbacks/);
  },
);

test.each([
  ['approval', 'waits for an approval by its operator'],
  ['callback', 'waits for another system'],
] as const)('a tool of an mcp surface says for whom an %s step waits', async (kind, words) => {
  const { path, key } = await waitingFlow('mcp', waitingSteps[kind]);
  const params = { name: 'ask', arguments: {} };
  const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(text).toContain(words);
  expect(text).not.toMatch(/inside|callbacks/);
});
