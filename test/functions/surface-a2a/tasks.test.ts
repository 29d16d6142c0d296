import { expect, test } from 'vitest';
import { createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  keyOfSurface,
  sending,
  shownEvents,
  shownTask,
  taskIn,
  text,
} from '../../support/surfaces/a2a-surface.ts';
import { scriptStep } from '../../support/surfaces/mcp-surface.ts';

const at = (id: string, more: object = {}) => ({ tenant: '', id, metadata: undefined, ...more });
const atOnce = { returnImmediately: true };
const listing = (more: object = {}) => ({
  tenant: '',
  contextId: '',
  status: 0,
  pageToken: '',
  statusTimestampAfter: undefined,
  ...more,
});
const waiting = (delayMs: number) => ({
  ...template('-', 'waited'),
  type: 'wait-until',
  config: { delayMs },
});

/** A surface whose skill `ask` is an agent. */
async function agentWorld(config: object = {}) {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant, config);
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const ask = (words: string, more: object = {}, configuration: object = {}) =>
    sending([text(words)], { skillId: 'ask', ...more }, configuration);
  return { ...world, agent, ask };
}

/** The parts of the answer, as the wire has them. */
const partsOf = (answer: Parameters<typeof taskIn>[0]) =>
  taskIn(answer).artifacts.flatMap(({ parts }) =>
    parts.map(({ content, mediaType, filename }) => {
      const value = content?.$case === 'raw' ? Buffer.from(content.value).toString() : content?.value;
      return [content?.$case, value, mediaType, filename];
    }),
  );

test.concurrent.each(a2aProtocols)(
  '%s %s: a stored file is a file part, streamed and read later',
  async (...protocol) => {
    const content = Buffer.from('the bytes').toString('base64');
    const config = { filename: 'a.pdf', content };
    const { url, key } = await a2aWorld([{ ...template('-', 'stored'), type: 'store-asset', config }]);
    const client = await a2aClient(url, key, protocol);
    const sent = taskIn(await client.sendMessage(sending([text('x')])));
    const link = expect.stringMatching(/^https?:/);
    expect(partsOf(sent)).toEqual([['url', link, 'application/pdf', 'a.pdf']]);
    expect(partsOf(await client.getTask(at(sent.id)))).toEqual(partsOf(sent));
    expect(await (await fetch(String(partsOf(sent)[0]?.[1]))).text()).toBe('the bytes');
    const events = await shownEvents(client.sendMessageStream(sending([text('x')])));
    expect(events).toContainEqual(['answer', [link], expect.objectContaining({ lastChunk: true })]);
  },
);

test.concurrent.each(a2aProtocols)('%s %s: content as MCP has it becomes parts', async (...protocol) => {
  const data = Buffer.from('the bytes').toString('base64');
  const blocks = [
    { type: 'text', text: 'Look' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'resource_link', uri: 'https://example.com/a.txt', name: 'a.txt', mimeType: 'text/plain' },
    { type: 'resource', resource: { uri: 'file:///b/c.bin', blob: data, mimeType: 'application/zip' } },
    { type: 'resource', resource: { uri: 'file:///b/d.csv?e', text: 'words', mimeType: 'text/csv' } },
  ];
  const answerTo = async (output: object) => {
    const { url, key } = await a2aWorld([scriptStep(`return ${JSON.stringify(output)}`)]);
    const client = await a2aClient(url, key, protocol);
    return partsOf(await client.sendMessage(sending([text('x')])));
  };
  const [first, ...files] = await answerTo({ content: blocks });
  expect(first?.slice(0, 2)).toEqual(['text', 'Look']);
  expect(files).toEqual([
    ['raw', 'the bytes', 'image/png', ''],
    ['url', 'https://example.com/a.txt', 'text/plain', 'a.txt'],
    ['raw', 'the bytes', 'application/zip', 'c.bin'],
    ['raw', 'words', 'text/csv', 'd.csv'],
  ]);
  const asset = { assetId: 'a', filename: 'a.png', contentType: 'image/png', size: 1, expiresAt: null };
  const others = [
    { content: blocks, more: 1 },
    { content: [{ type: 'image', data: '%', mimeType: 'image/png' }] },
    { ...asset, url: 'file:///etc/passwd' },
    { ...asset, url: 'https://example.com/a.png', more: 1 },
  ];
  for (const output of others) {
    expect((await answerTo(output)).map(([kind, value]) => [kind, value])).toEqual([['data', output]]);
  }
});

test.concurrent.each(a2aProtocols)(
  '%s %s: a task can be read later, with its messages',
  async (...protocol) => {
    const { url, key } = await a2aWorld();
    const client = await a2aClient(url, key, protocol);
    const sent = taskIn(await client.sendMessage(sending([text('Ada')])));
    const task = await client.getTask(at(sent.id));
    expect(shownTask(task)).toEqual({ state: 'completed', said: undefined, answer: ['Hello Ada'] });
    expect(task.history.map(({ role, parts }) => [role, parts[0]?.content?.value])).toEqual([[1, 'Ada']]);
    expect((await client.getTask(at(sent.id, { historyLength: 0 }))).history).toEqual([]);
    expect(task.contextId).toBe(sent.contextId);
  },
);

test.concurrent('who subscribes to a task of an agent in the background gets its answer as it is said', async () => {
  const { url, key, ask } = await agentWorld({ model: 'generic-openai/trickling' });
  const client = await a2aClient(url, key);
  const words = Array.from({ length: 50 }, (_, n) => `word${n}`).join(' ');
  const task = taskIn(await client.sendMessage(ask(words, {}, atOnce)));
  const events = (await shownEvents(client.resubscribeTask(at(task.id)))) as [string, unknown[]][];
  const pieces = events.filter(([kind]) => kind === 'answer').map(([, [said]]) => String(said));
  expect(pieces.length).toBeGreaterThan(3);
  const whole = shownTask(await client.getTask(at(task.id))).answer;
  expect(whole).toEqual([pieces.join('')]);
});

test.concurrent.each(a2aProtocols)('%s %s: a flow and an agent in the background', async (...protocol) => {
  const { url, key, ask } = await agentWorld();
  const client = await a2aClient(url, key, protocol);
  const greet = sending([text('Ada')], { skillId: 'greet' }, atOnce);
  for (const message of [greet, ask(scripted({ text: 'Hello Ada' }), {}, atOnce)]) {
    const task = taskIn(await client.sendMessage(message));
    expect(['working', 'completed']).toContain(shownTask(task).state);
    await eventually(async () => {
      expect(shownTask(await client.getTask(at(task.id)))).toMatchObject({
        state: 'completed',
        answer: ['Hello Ada'],
      });
    });
  }
});

test.concurrent.each(a2aProtocols)('%s %s: a task that works is followed to its end', async (...protocol) => {
  const { url, key, ask } = await agentWorld({ model: 'generic-openai/slow' });
  const client = await a2aClient(url, key, protocol);
  const { id } = taskIn(await client.sendMessage(ask('one two three four five six', {}, atOnce)));
  const events = await shownEvents(client.resubscribeTask(at(id)));
  expect(events[0]).toEqual(['task', 'working']);
  expect(events.at(-1)).toEqual(['status', 'completed']);
  const { answer } = shownTask(await client.getTask(at(id)));
  expect(events.slice(1, -1).flatMap((event) => (event as [string, string[]])[1])).toEqual(answer);
});

test.concurrent('a task that has ended is not followed', async () => {
  const { url, key } = await a2aWorld();
  for (const protocol of a2aProtocols) {
    const client = await a2aClient(url, key, protocol);
    const { id } = taskIn(await client.sendMessage(sending([text('Ada')])));
    await expect(shownEvents(client.resubscribeTask(at(id)))).rejects.toThrow('does not change any more');
  }
});

test.concurrent.each(a2aProtocols)('%s %s: a task of an agent is canceled, once', async (...protocol) => {
  const { url, key, ask } = await agentWorld({ model: 'generic-openai/hanging' });
  const client = await a2aClient(url, key, protocol);
  const { id } = taskIn(await client.sendMessage(ask('hello', {}, atOnce)));
  expect(shownTask(await client.cancelTask(at(id)))).toMatchObject({ state: 'canceled', answer: [] });
  await expect(client.cancelTask(at(id))).rejects.toThrow('The task has ended already');
  expect(shownTask(await client.getTask(at(id))).state).toBe('canceled');
});

test.concurrent('an agent in front of its caller ends when its task is canceled, and its stream says so', async () => {
  const { url, key, ask } = await agentWorld({ model: 'generic-openai/hanging' });
  const client = await a2aClient(url, key);
  const stream = client.sendMessageStream(ask('hello'));
  const first = (await stream.next()).value;
  const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
  await client.cancelTask(at(id));
  expect(await shownEvents(stream)).toEqual([['status', 'canceled']]);
});

test.concurrent('a flow in front of its caller ends within seconds when its task is canceled', async () => {
  const { url, key, tenant, flow } = await a2aWorld([
    waiting(9_000),
    template('Hello {{ person }}', 'greeting'),
  ]);
  const client = await a2aClient(url, key);
  const stream = client.sendMessageStream(sending([text('Ada')]));
  const first = (await stream.next()).value;
  const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
  expect(shownTask(await client.cancelTask(at(id))).state).toBe('canceled');
  expect(await shownEvents(stream)).toEqual([['status', 'canceled']]);
  const { body } = await tenant.call('GET', `/v1/flows/${flow.id}/step-results`);
  expect(JSON.stringify(body)).not.toContain('Hello Ada');
});

test.concurrent('a flow in the background is canceled', async () => {
  const { url, key } = await a2aWorld([waiting(3_600_000)]);
  const client = await a2aClient(url, key);
  const { id } = taskIn(await client.sendMessage(sending([text('Ada')], {}, atOnce)));
  expect(shownTask(await client.cancelTask(at(id))).state).toBe('canceled');
});

test.concurrent('an agent goes on without its caller, who comes back', async () => {
  const { url, key, ask, agent, tenant } = await agentWorld({ model: 'generic-openai/trickling' });
  const client = await a2aClient(url, key);
  const hangUp = new AbortController();
  const stream = client.sendMessageStream(ask('word '.repeat(60)), { signal: hangUp.signal });
  const first = (await stream.next()).value;
  const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
  await stream.next();
  hangUp.abort();
  await eventually(async () => expect(shownTask(await client.getTask(at(id))).state).toBe('completed'));
  const { body } = await tenant.call('GET', `/v1/agents/${agent.id}/executions`);
  expect(body.data).toMatchObject([{ status: 'completed', surfaceType: 'a2a' }]);
});

test.concurrent('messages of a context continue its conversation', async () => {
  const { url, key, ask, agent, tenant } = await agentWorld({ model: 'generic-openai/echo' });
  const client = await a2aClient(url, key);
  const first = taskIn(await client.sendMessage(ask('My name is Ada')));
  const second = taskIn(await client.sendMessage(ask('Who am I?', { contextId: first.contextId })));
  expect(second.contextId).toBe(first.contextId);
  expect(second.id).not.toBe(first.id);
  const { body } = await tenant.call('GET', `/v1/agents/${agent.id}/executions?limit=1`);
  const messages = await tenant.call('GET', `/v1/agents/${agent.id}/executions/${body.data[0].id}`);
  expect(JSON.stringify(messages.body)).toContain('My name is Ada');
});

test.concurrent('the context and the tasks of another caller do not exist', async () => {
  const world = await agentWorld();
  const { url, key, tenant, path, ask } = world;
  const client = await a2aClient(url, key);
  const mine = taskIn(await client.sendMessage(ask(scripted({ text: 'my secret' }), { contextId: 'ours' })));
  const others = [
    await keyOfSurface(tenant, path, { environment: 'production' }),
    await newKey(tenant, { permissions: ['PRODUCTS:EXECUTE'] }).then(({ key: value }) => value),
  ];
  for (const other of others) {
    const stranger = await a2aClient(url, other);
    await expect(stranger.getTask(at(mine.id))).rejects.toThrow('Task not found');
    await expect(stranger.cancelTask(at(mine.id))).rejects.toThrow('Task not found');
    await expect(shownEvents(stranger.resubscribeTask(at(mine.id)))).rejects.toThrow('Task not found');
    await expect(stranger.sendMessage(ask('x', { taskId: mine.id }))).rejects.toThrow('Task not found');
    expect((await stranger.listTasks(listing({ contextId: 'ours' }))).tasks).toEqual([]);
    const task = taskIn(await stranger.sendMessage(ask(scripted({ text: 'mine' }), { contextId: 'ours' })));
    expect((await stranger.listTasks(listing({ contextId: 'ours' }))).tasks.map(({ id }) => id)).toEqual([
      task.id,
    ]);
  }
});

test.concurrent.each(a2aProtocols.filter(([, version]) => version === '1.0'))(
  '%s %s: lists tasks in pages, newest first',
  async (...protocol) => {
    const { url, key } = await a2aWorld();
    const client = await a2aClient(url, key, protocol);
    const ids: string[] = [];
    for (const contextId of ['a', 'b', 'a']) {
      ids.unshift(taskIn(await client.sendMessage(sending([text('Ada')], { contextId }))).id);
    }
    const first = await client.listTasks(listing({ pageSize: 2 }));
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) });
    expect(first.tasks.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(first.tasks.map(({ artifacts, history }) => [artifacts, history])).toEqual([
      [[], []],
      [[], []],
    ]);
    const second = await client.listTasks(listing({ pageSize: 2, pageToken: first.nextPageToken }));
    expect(second).toMatchObject({ nextPageToken: '' });
    expect(second.tasks.map(({ id }) => id)).toEqual(ids.slice(2));
    const ofA = await client.listTasks(listing({ contextId: 'a', includeArtifacts: true, historyLength: 1 }));
    expect(ofA.tasks.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect(ofA.tasks.map(shownTask)).toEqual(
      Array(2).fill({ state: 'completed', said: undefined, answer: ['Hello Ada'] }),
    );
    expect(ofA.tasks[0]?.history).toHaveLength(1);
    expect((await client.listTasks(listing({ status: 2 }))).tasks).toEqual([]);
    expect((await client.listTasks(listing({ status: 3 }))).tasks).toHaveLength(3);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await client.listTasks(listing({ statusTimestampAfter: later }))).tasks).toEqual([]);
    // The protocol means "greater than or equal to".
    const statusTimestampAfter = ofA.tasks[0]?.status?.timestamp;
    const since = await client.listTasks(listing({ contextId: 'a', statusTimestampAfter }));
    expect(since.tasks.map(({ id }) => id)).toContain(ids[0]);
  },
);
