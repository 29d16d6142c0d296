import { expect, test } from 'vitest';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  data,
  keyOfSurface,
  sending,
  shownEvents,
  shownTask,
  taskIn,
  text,
} from '../../support/surfaces/a2a-surface.ts';

const atOnce = { returnImmediately: true };
const local = {
  name: 'thermometer',
  description: 'Reads it',
  toolType: 'local',
  config: {},
  parametersSchema: { type: 'object', properties: { room: { type: 'string' } } },
};
const listing = { tenant: '', contextId: '', status: 0, pageToken: '', statusTimestampAfter: undefined };

/** A surface whose skills are a flow and an agent, and how often both ran. */
async function countingWorld() {
  const world = await a2aWorld();
  const { id: toolId } = await createTool(world.tenant, local);
  const agent = await createScriptedAgent(world.tenant, { tools: { toolIds: [toolId] } });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const client = await a2aClient(world.url, world.key);
  const runs = async () => {
    const agents = await expectStatus(200, world.tenant.call('GET', `/v1/agents/${agent.id}/executions`));
    const flows = await expectStatus(
      200,
      world.tenant.call('GET', `/v1/flows/${world.flow.id}/step-results`),
    );
    return { agents: agents.data.length as number, flows: flows.data.length as number };
  };
  const tasks = async () => (await client.listTasks(listing)).tasks;
  return { ...world, client, toolId, runs, tasks };
}

test.each(a2aProtocols)(
  '%s %s: a message that is sent again gives its task, and runs nothing',
  async (...protocol) => {
    const { url, key, runs, tasks } = await countingWorld();
    const client = await a2aClient(url, key, protocol);
    for (const message of [
      sending([text('Ada')], { skillId: 'greet' }),
      sending([text(scripted({ text: 'Hello' }))], { skillId: 'ask', contextId: 'ours' }),
    ]) {
      const first = taskIn(await client.sendMessage(message));
      expect(taskIn(await client.sendMessage(message))).toEqual(first);
      expect(await shownEvents(client.sendMessageStream(message))).toEqual([['task', 'completed']]);
    }
    expect(await runs()).toEqual({ agents: 1, flows: 1 });
    expect(await tasks()).toHaveLength(2);
  },
);

test.each([
  ['a flow', 'greet', 'Ada', {}],
  ['a flow in the background', 'greet', 'Ada', atOnce],
  ['an agent', 'ask', scripted({ text: 'Hello Ada' }), {}],
  ['an agent in the background', 'ask', scripted({ text: 'Hello Ada' }), atOnce],
])('of equal messages at the same time %s runs one', async (_what, skillId, words, configuration) => {
  const { client, runs, tasks } = await countingWorld();
  const message = sending([text(words)], { skillId }, configuration);
  const answers = await Promise.all(Array.from({ length: 6 }, () => client.sendMessage(message)));
  const ids = new Set(answers.map((answer) => taskIn(answer).id));
  expect(ids.size).toBe(1);
  const [id = ''] = ids;
  await eventually(async () => {
    expect(shownTask(await client.getTask({ tenant: '', id }))).toMatchObject({ answer: ['Hello Ada'] });
  });
  expect(await runs()).toEqual(skillId === 'ask' ? { agents: 1, flows: 0 } : { agents: 0, flows: 1 });
  expect(await tasks()).toHaveLength(1);
});

test('a message that is sent again while its task works follows it to its end', async () => {
  const { client, runs } = await countingWorld();
  const message = sending([text('Ada')], { skillId: 'greet' }, {});
  const stream = client.sendMessageStream(message);
  await stream.next();
  const second = await shownEvents(client.sendMessageStream(message));
  expect(['working', 'completed']).toContain((second[0] as string[])[1]);
  expect((second.at(-1) as unknown[])[1]).toBe('completed');
  await shownEvents(stream);
  expect(await runs()).toMatchObject({ flows: 1 });
});

test.each([{}, atOnce])(
  'a message that is sent again gives its task also once nothing can run %o',
  async (how) => {
    const { tenant, client, flow, capability, productId } = await countingWorld();
    const message = sending([text('Ada')], { skillId: 'greet' }, how);
    const { id } = taskIn(await client.sendMessage(message));
    const path = `/v1/products/${productId}/capabilities/${capability.id}`;
    const parametersSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    await expectStatus(200, tenant.call('PUT', path, { body: { parametersSchema } }));
    expect(taskIn(await client.sendMessage(message)).id).toBe(id);
    await expectStatus(200, tenant.call('PUT', path, { body: { parametersSchema: null } }));
    await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
    expect(taskIn(await client.sendMessage(message)).id).toBe(id);
    const other = sending([text('Eve')], { skillId: 'greet' }, how);
    await expect(client.sendMessage(other)).rejects.toThrow('deleted');
  },
);

test('400 for the id of another message, and another caller has ids of their own', async () => {
  const { url, tenant, path, client, runs } = await countingWorld();
  const given = sending([text('Ada')], { skillId: 'greet' });
  const changed = (more: object) => ({ ...given, message: { ...given.message, ...more } }) as typeof given;
  const first = taskIn(await client.sendMessage(given));
  for (const other of [{ parts: [text('Eve')] }, { contextId: 'ours' }, { metadata: { skillId: 'ask' } }]) {
    await expect(client.sendMessage(changed(other))).rejects.toThrow('message.messageId');
  }
  const stranger = await a2aClient(url, await keyOfSurface(tenant, path, { environment: 'production' }));
  expect(taskIn(await stranger.sendMessage(given)).id).not.toBe(first.id);
  expect(await runs()).toEqual({ agents: 0, flows: 2 });
});

test.each(['a flow', 'an agent'])(
  'an answer to %s that is sent again, also at once, changes nothing',
  async (what) => {
    const world = await countingWorld();
    const { client, toolId } = world;
    const call = {
      type: 'tool-call',
      name: 'measure',
      config: { toolId, parameters: { room: 'attic' }, outputVariable: 'measured' },
    };
    const flow = await publishedFlow(world.tenant, [call, template('{{ measured.celsius }} °C')]);
    await addSkill(world, { capabilityName: 'Measure', flowId: flow.id });
    const script = scripted(calls(['thermometer', { room: 'attic' }]), { text: '21 °C' });
    const ask =
      what === 'a flow'
        ? sending([data({})], { skillId: 'measure' })
        : sending([text(script)], { skillId: 'ask' });
    const asked = taskIn(await client.sendMessage(ask));
    expect(shownTask(asked).state).toBe('input-required');
    expect(taskIn(await client.sendMessage(ask))).toEqual(asked);
    const answer = sending([data({ celsius: 21 })], { taskId: asked.id });
    const ended = await Promise.all(Array.from({ length: 4 }, () => client.sendMessage(answer)));
    expect(new Set(ended.map((each) => taskIn(each).id))).toEqual(new Set([asked.id]));
    const again = taskIn(await client.sendMessage(answer));
    expect(shownTask(again)).toMatchObject({ state: 'completed', answer: ['21 °C'] });
    expect(again.history.map(({ messageId }) => messageId)).toEqual([
      ask.message?.messageId,
      answer.message?.messageId,
    ]);
    const other = {
      ...answer,
      message: { ...answer.message, parts: [data({ celsius: 9 })] },
    } as typeof answer;
    await expect(client.sendMessage(other)).rejects.toThrow('message.messageId');
  },
);
