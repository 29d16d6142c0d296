import { expect, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { createTool } from '../support/files/tools.ts';
import { expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import { newConfig } from '../support/models/model-configs.ts';
import { deliveries, sendWebhook, webhookWorld } from '../support/servers/webhooks.ts';
import { eventually } from '../support/stack/eventually.ts';
import { callerWith, type Tenant } from '../support/stack/stack.ts';
import {
  a2aClient,
  a2aWorld,
  addSkill,
  data,
  sending,
  shownTask,
  text,
} from '../support/surfaces/a2a-surface.ts';
import { agentChat, answerTo, chatWorld, openSession, streamedText } from '../support/surfaces/chat.ts';
import { addSurfaceKey, mcpSurface, postMcp } from '../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createProduct, createSurface } from '../support/surfaces/products.ts';

const whose = '{{ _user.id }} {{ _visitor.id }} {{ _visitor.id == _user.id }}';
/** A flow that says whose run it is, and writes a record. */
const steps = [
  {
    type: 'upsert-record',
    name: 'note',
    config: { recordType: 'note', recordName: '{{ _execution.id }}', sourceVariable: '_user' },
  },
  template(whose, 'whose'),
];
const visitorId = /^visitor:\S+$/;

/** @returns the id of the visitor, who is the user of the run. */
function visitorIn(said: string): string {
  const [user = '', visitor, same] = said.split(' ');
  expect([visitor, same], said).toEqual([user, 'true']);
  expect(user).toMatch(visitorId);
  return user;
}

async function writersOf({ call }: Tenant, count: number) {
  return eventually(async () => {
    const { data: records } = await expectStatus(200, call('GET', '/v1/records?type=note'));
    expect(records).toHaveLength(count);
    return records.map(({ userId }: { userId: string }) => userId);
  });
}

/** Offers the flow on a surface as `note`. */
async function addNote(world: {
  tenant: Tenant;
  productId: string;
  surface: { id: string; productId: string };
}) {
  const { tenant, productId, surface } = world;
  const flow = await publishedFlow(tenant, steps);
  const given = { capabilityName: 'Note', flowId: flow.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
}

/** The outputs of the tool calls of a run. */
async function outputsOf({ call }: Tenant, agentId: string, executionId: string) {
  const path = `/v1/agents/${agentId}/executions/${executionId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, call('GET', path));
  return Promise.all(
    toolCalls.map(
      async ({ id }: { id: string }) => (await expectStatus(200, call('GET', `${path}/${id}`))).outputResult,
    ),
  );
}

const save = (content: string) => calls(['save_memory', { content }]);
const recall = calls(['recall_memory', { question: 'What number?' }]);

test.each([
  ['by default', {}],
  ['with the user as the profile', { profileTemplate: '{{ _user.id }}' }],
])('%s, each visitor of a chat has a memory of its own, and its owner another one', async (_, memory) => {
  const world = await agentChat({}, { memory: { enabled: true, ...memory } });
  const { tenant, agent, token } = world;
  await newConfig(tenant, { provider: 'generic-openai', modelId: 'embedder' });
  const asVisitor = async (sessionId: string, ...turns: Parameters<typeof scripted>) => {
    const events = await answerTo(sessionId, scripted(...turns, { text: 'done' }));
    return outputsOf(tenant, agent.id, events[0]?.executionId as string);
  };
  const asOwner = async (...turns: Parameters<typeof scripted>) => {
    const { executionId } = await answered(run(tenant, agent.id, scripted(...turns, { text: 'done' })));
    return outputsOf(tenant, agent.id, executionId);
  };
  await asOwner(save('The alarm code is 9182'));
  const { sessionId: other } = await expectStatus(200, openSession(token));
  const [, own] = await asVisitor(world.sessionId, save('The card number is 4111'), recall);
  expect(own).toMatchObject({ found: true, answer: expect.stringContaining('4111') });
  expect(JSON.stringify(own)).not.toContain('9182');
  expect(await asVisitor(other, recall)).toEqual([{ found: false }]);
  expect(JSON.stringify(await asOwner(recall))).not.toContain('4111');
});

test('the flow of a chat runs for its visitor, in all its messages', async () => {
  const { tenant, token } = await chatWorld(steps);
  const say = async (sessionId: string) => visitorIn(streamedText(await answerTo(sessionId, 'Hi')));
  const [first, second] = [(await openSession(token)).body, (await openSession(token)).body];
  const visitor = await say(first.sessionId);
  expect(await say(first.sessionId)).toBe(visitor);
  const other = await say(second.sessionId);
  expect(other).not.toBe(visitor);
  expect((await writersOf(tenant, 3)).sort()).toEqual([visitor, visitor, other].sort());
});

test('a flow that the agent of a chat runs as a tool runs for its visitor', async () => {
  const { tenant, agent, sessionId } = await agentChat({}, { systemPrompt: whose });
  const flow = await publishedFlow(tenant, steps);
  const tool = await createTool(tenant, { name: 'note', toolType: 'flow', config: { flowId: flow.id } });
  const config = { ...agent.config, tools: { toolIds: [tool.id] } };
  await expectStatus(200, tenant.call('PUT', `/v1/agents/${agent.id}`, { body: { config } }));
  const events = await answerTo(sessionId, scripted(calls(['note']), { text: 'done' }));
  const { executionId = '' } = events[0] ?? {};
  const [output] = await outputsOf(tenant, agent.id, executionId);
  const [writer] = await writersOf(tenant, 1);
  expect(writer).toMatch(visitorId);
  expect(JSON.stringify(output)).not.toContain(tenant.userId);
});

test('a run of a user has no visitor, and its inputs name none', async () => {
  const { tenant, flow } = await chatWorld([template(`[${whose}]`, 'whose')]);
  const dispatch = (inputs: object) =>
    tenant.call('POST', '/v1/dispatch', {
      body: { flow: { id: flow.id }, inputs, options: { streamResponse: false } },
    });
  const answer = await expectStatus(200, dispatch({}));
  expect(JSON.stringify(answer)).toContain(`[${tenant.userId}  false]`);
  await expectStatus(400, dispatch({ _visitor: { id: 'me' } }));
});

test('what a key of a surface starts runs for the key', async () => {
  const { tenant, path, key } = await mcpSurface(steps);
  const other = await addSurfaceKey(tenant, path, { environment: 'production' });
  const params = { name: 'greet', arguments: {} };
  for (const token of [key, key, other])
    await postMcp(token, path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const [one, two, three] = (await writersOf(tenant, 3)).sort();
  expect(new Set([one, two, three]).size).toBe(2);
  for (const writer of [one, two, three]) expect(writer).toMatch(/^visitor:surfkey_/);
});

test.each([false, true])(
  'what a caller over A2A starts runs for its key (in the background: %s)',
  async (background) => {
    const { tenant, url, key, ...world } = await a2aWorld(steps);
    const agent = await createScriptedAgent(tenant, { systemPrompt: 'x' });
    await addSkill({ tenant, ...world }, { capabilityName: 'Ask', agentId: agent.id });
    const client = await a2aClient(url, key);
    const options = { returnImmediately: background };
    await client.sendMessage(sending([data({})], { skillId: 'greet' }, options));
    const [writer] = await writersOf(tenant, 1);
    expect(writer).toMatch(/^visitor:surfkey_/);
    const task = await client.sendMessage(sending([text('Hi')], { skillId: 'ask' }));
    expect(shownTask(task)).toMatchObject({ state: 'completed' });
  },
);

test('what a signed event starts runs for its surface; with a key, for the key', async () => {
  const signed = await webhookWorld(undefined, {});
  await addNote(signed);
  await expectStatus(202, sendWebhook(signed.path, deliveries.github({ body: {} }), 'note'));
  expect(await writersOf(signed.tenant, 1)).toEqual([`visitor:${signed.surface.id}`]);
  const keyed = await webhookWorld({});
  await addNote(keyed);
  const key = await addSurfaceKey(keyed.tenant, keyed.path, { environment: 'production' });
  const headers = { authorization: `Bearer ${key}` };
  await expectStatus(202, sendWebhook(keyed.path, { body: '{}', headers }, 'note'));
  expect((await writersOf(keyed.tenant, 1))[0]).toMatch(/^visitor:surfkey_/);
});

test('on a surface of the type api, a key runs for itself and a session for its user', async () => {
  const { tenant } = await chatWorld();
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId, { type: 'api', status: 'active' });
  await addNote({ tenant, productId, surface });
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const runWith = (token: string) =>
    expectStatus(200, callerWith(token)('POST', `${path}/run/note`, { body: {} }));
  await runWith(await addSurfaceKey(tenant, path, { environment: 'production' }));
  expect((await writersOf(tenant, 1))[0]).toMatch(/^visitor:surfkey_/);
  await runWith(tenant.token);
  expect(await writersOf(tenant, 2)).toContain(tenant.userId);
});
