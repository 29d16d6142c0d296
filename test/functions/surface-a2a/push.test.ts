import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { a2aTaskEntity } from '../../../shared/domain/a2a-tasks/task.ts';
import { deliveryEntity } from '../../../shared/domain/deliveries/delivery.ts';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, template } from '../../support/flows/flows.ts';
import type { ReceivedWebhook } from '../../support/servers/webhook-receiver.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  data,
  keyOfSurface,
  sending,
  shownTask,
  taskIn,
  text,
} from '../../support/surfaces/a2a-surface.ts';

const atOnce = { returnImmediately: true };
const waiting = (delayMs: number) => ({
  ...template('-', 'waited'),
  type: 'wait-until',
  config: { delayMs },
});
const secret = () => `canary${randomUUID()}`;

function receiver(answers = '204') {
  const url = `${inject('webhooksUrl')}/${randomUUID()}`;
  const received = async (): Promise<ReceivedWebhook[]> => (await fetch(url)).json();
  return {
    url: `${url}?answers=${answers}`,
    received,
    got: (count = 1) =>
      eventually(async () => {
        const all = await received();
        expect(all).toHaveLength(count);
        return all.map(({ headers, body }) => ({ headers, body: JSON.parse(body) }));
      }),
  };
}

const config = (url: string, more: object = {}) => ({
  tenant: '',
  id: '',
  taskId: '',
  url,
  token: '',
  authentication: undefined,
  ...more,
});

/** The state in what a receiver got: the task in 0.3, and a stream response in 1.0. */
const told = (body: { task?: object; kind?: string }) => (body.kind === 'task' ? body : body.task);
const states = {
  '1.0': { completed: 'TASK_STATE_COMPLETED', canceled: 'TASK_STATE_CANCELED', failed: 'TASK_STATE_FAILED' },
  '0.3': { completed: 'completed', canceled: 'canceled', failed: 'failed' },
};

/** A surface with an agent `ask`, which needs a tool that its caller executes. */
async function askingWorld() {
  const world = await a2aWorld();
  const { id } = await createTool(world.tenant, {
    name: 'thermometer',
    description: 'Reads it',
    toolType: 'local',
    config: {},
    parametersSchema: { type: 'object', properties: { room: { type: 'string' } } },
  });
  const agent = await createScriptedAgent(world.tenant, { tools: { toolIds: [id] } });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const script = scripted(calls(['thermometer', { room: 'attic' }]), { text: 'warm' });
  const ask = (configuration: object) => sending([text(script)], { skillId: 'ask' }, configuration);
  return { ...world, ask };
}

test.each(a2aProtocols)('%s %s: a flow in front and in the background tells its end', async (...protocol) => {
  const { url, key } = await a2aWorld();
  const client = await a2aClient(url, key, protocol);
  for (const how of [{}, atOnce]) {
    const { url: to, got } = receiver();
    const [token, credentials] = [secret(), secret()];
    const taskPushNotificationConfig = config(to, {
      token,
      authentication: { scheme: 'bearer', credentials },
    });
    const sent = taskIn(
      await client.sendMessage(sending([text('Ada')], {}, { ...how, taskPushNotificationConfig })),
    );
    const [{ headers, body } = { headers: {}, body: {} }] = await got();
    expect(headers).toMatchObject({
      'x-a2a-notification-token': token,
      authorization: `Bearer ${credentials}`,
      'content-type': protocol[1] === '1.0' ? 'application/a2a+json' : 'application/json',
    });
    expect(told(body)).toMatchObject({
      id: sent.id,
      contextId: sent.contextId,
      status: { state: states[protocol[1]].completed },
      artifacts: [{ parts: [{ text: 'Hello Ada' }] }],
    });
  }
});

test.each(a2aProtocols)('%s %s: an agent tells its question and its end', async (...protocol) => {
  const { url, key, ask, tenant, path } = await askingWorld();
  const client = await a2aClient(url, key, protocol);
  const { url: to, got } = receiver();
  const { id } = taskIn(await client.sendMessage(ask({ ...atOnce, taskPushNotificationConfig: config(to) })));
  const [asked = { headers: {}, body: {} }] = await got();
  const deliveryId = (asked.headers as Record<string, string>)['webhook-id'];
  await expectStatus(404, tenant.call('POST', `${path}/deliveries/${deliveryId}/resend`));
  const question = JSON.stringify(told(asked.body));
  expect(question).toMatch(/input.required/i);
  expect(question).toContain('thermometer');
  await client.sendMessage(sending([text('21')], { taskId: id }));
  const [, ended] = await got(2);
  expect(told(ended?.body)).toMatchObject({ id, status: { state: states[protocol[1]].completed } });
});

test.each(a2aProtocols)('%s %s: configs of a running task, without their secrets', async (...protocol) => {
  const { url, key } = await a2aWorld([waiting(3_600_000)]);
  const client = await a2aClient(url, key, protocol);
  const { id: taskId } = taskIn(await client.sendMessage(sending([text('Ada')], {}, atOnce)));
  const { url: to, got, received } = receiver();
  const [token, credentials] = [secret(), secret()];
  const given = config(to, { id: 'mine', taskId, token, authentication: { scheme: 'Basic', credentials } });
  const shown = {
    id: 'mine',
    taskId,
    url: to,
    token: '',
    authentication: { scheme: 'Basic', credentials: '' },
  };
  expect(await client.createTaskPushNotificationConfig(given)).toMatchObject(shown);
  expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })).toMatchObject(shown);
  const unnamed = await client.createTaskPushNotificationConfig(config(`${to}&of=another`, { taskId }));
  expect(unnamed.id).toMatch(protocol[1] === '0.3' ? taskId : /^pushcfg_/);
  const list = async () =>
    (
      await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })
    ).configs.map(({ id }) => id);
  expect(await list()).toEqual(['mine', unnamed.id]);
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: unnamed.id });
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: unnamed.id });
  expect(await list()).toEqual(['mine']);
  await expect(client.getTaskPushNotificationConfig({ tenant: '', taskId, id: unnamed.id })).rejects.toThrow(
    'Task push notification config not found',
  );
  expect(await received()).toEqual([]);
  await client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
  const [{ headers, body } = { headers: {}, body: {} }] = await got();
  expect(headers).toMatchObject({
    authorization: `Basic ${credentials}`,
    'x-a2a-notification-token': token,
  });
  expect(told(body)).toMatchObject({ id: taskId, status: { state: states[protocol[1]].canceled } });
});

test.each(a2aProtocols)(
  '%s %s: a config of a task that has ended is told its end at once',
  async (...protocol) => {
    const { url, key } = await a2aWorld();
    const client = await a2aClient(url, key, protocol);
    const { id: taskId } = taskIn(await client.sendMessage(sending([text('Ada')])));
    const { url: to, got } = receiver();
    await client.createTaskPushNotificationConfig(config(to, { id: 'late', taskId }));
    expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'late' })).toMatchObject({
      url: to,
    });
    const [{ body } = { body: {} }] = await got();
    expect(told(body)).toMatchObject({ id: taskId, status: { state: states[protocol[1]].completed } });
  },
);

test.each(a2aProtocols)('%s %s: what cannot be told is refused, and says where', async (...protocol) => {
  const { url, key } = await a2aWorld([waiting(3_600_000)]);
  const client = await a2aClient(url, key, protocol);
  const { id: taskId } = taskIn(await client.sendMessage(sending([text('Ada')], {}, atOnce)));
  const { url: to } = receiver();
  const refused = async (given: object, words: string) => {
    await expect(client.createTaskPushNotificationConfig(config(to, { taskId, ...given }))).rejects.toThrow(
      words,
    );
    const taskPushNotificationConfig = config(to, given);
    await expect(
      client.sendMessage(sending([text('Ada')], {}, { ...atOnce, taskPushNotificationConfig })),
    ).rejects.toThrow(words);
  };
  await refused({ url: '' }, 'url');
  await refused({ url: 'no address' }, 'url: Not a URL');
  await refused({ url: 'http://example.com/a' }, 'url: Only https addresses are told');
  await refused({ url: 'https://10.0.0.1/a' }, 'url: 10.0.0.1 is not a public address');
  await refused({ url: 'https://169.254.169.254/latest' }, 'is not a public address');
  await refused({ url: 'https://[::1]/a' }, 'is not a public address');
  await refused({ url: 'https://me:you@example.com/' }, 'url: A URL must not contain a user name');
  await refused({ url: `https://example.com/${'x'.repeat(2_000)}` }, 'url: An address has at most');
  await refused({ id: 'a/b' }, 'id: Up to 128');
  await refused({ token: 'x'.repeat(1_001) }, 'token: At most 1000 printable');
  await refused({ token: 'a\r\nb' }, 'token: At most');
  await refused({ authentication: { scheme: 'Digest', credentials: 'x' } }, 'Bearer and Basic are supported');
  await refused({ authentication: { scheme: 'Bearer', credentials: '' } }, 'A scheme needs credentials');
  for (const id of ['a', 'b', 'c', 'd', 'e', 'e']) {
    await client.createTaskPushNotificationConfig(config(to, { taskId, id }));
  }
  await expect(client.createTaskPushNotificationConfig(config(to, { taskId, id: 'f' }))).rejects.toThrow(
    'at most 5',
  );
  await client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
});

test.each(a2aProtocols)('%s %s: the tasks of another caller do not exist', async (...protocol) => {
  const { url, key, tenant, path } = await a2aWorld([waiting(3_600_000)]);
  const client = await a2aClient(url, key, protocol);
  const { id: taskId } = taskIn(await client.sendMessage(sending([text('Ada')], {}, atOnce)));
  const { url: to } = receiver();
  await client.createTaskPushNotificationConfig(config(to, { taskId, id: 'mine' }));
  const other = await keyOfSurface(tenant, path, { environment: 'production' });
  const stranger = await a2aClient(url, other, protocol);
  const one = { tenant: '', taskId, id: 'mine' };
  const all = { tenant: '', taskId, pageSize: 0, pageToken: '' };
  for (const attempt of [
    () => stranger.createTaskPushNotificationConfig(config(to, { taskId, id: 'theirs' })),
    () => stranger.getTaskPushNotificationConfig(one),
    () => stranger.listTaskPushNotificationConfig(all),
    () => stranger.deleteTaskPushNotificationConfig(one),
  ]) {
    await expect(attempt()).rejects.toThrow('Task not found');
  }
  expect((await client.listTaskPushNotificationConfig(all)).configs).toHaveLength(1);
  await client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
});

test('a receiver that fails gets it again, as the same delivery; the secrets are nowhere to be read', async () => {
  const { url, key, tenant, path, surface } = await a2aWorld();
  const client = await a2aClient(url, key);
  const { url: to, got } = receiver('500,204');
  const [token, credentials] = [secret(), secret()];
  const taskPushNotificationConfig = config(to, { token, authentication: { scheme: 'Bearer', credentials } });
  const sent = await client.sendMessage(sending([text('Ada')], {}, { taskPushNotificationConfig }));
  const [first = { headers: {} }] = await got();
  const id = String((first.headers as Record<string, string>)['webhook-id']);
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const delivery = await eventually(async () => {
    const found = await table.get(deliveryEntity, { surfaceId: surface.id, id }, { consistent: true });
    expect(found).toMatchObject({ status: 'pending', tries: 1, body: '' });
    return found;
  });
  const task = await table.get(a2aTaskEntity, { surfaceId: surface.id, id: taskIn(sent).id });
  const listed = await tenant.call('GET', `${path}/deliveries`);
  expect(listed.body.data).toEqual([]);
  const everything = JSON.stringify([delivery, task, listed.body, sent]);
  for (const value of [token, credentials]) expect(everything).not.toContain(value);
});

test('a failed run is told without its reason', async () => {
  const failing = { ...template('-'), type: 'transform-data', config: { script: 'throw Error("Inner")' } };
  const { url, key } = await a2aWorld([failing]);
  const client = await a2aClient(url, key);
  const { url: to, got } = receiver();
  const sent = await client.sendMessage(
    sending([text('Ada')], {}, { taskPushNotificationConfig: config(to) }),
  );
  expect(shownTask(sent).state).toBe('failed');
  const [{ body } = { body: {} }] = await got();
  expect(told(body)).toMatchObject({ status: { state: 'TASK_STATE_FAILED' } });
  expect(JSON.stringify(body)).not.toContain('Inner');
});

test('only an answer that is accepted adds its receiver', async () => {
  const { url, key, ask } = await askingWorld();
  const client = await a2aClient(url, key);
  const { id: taskId } = taskIn(await client.sendMessage(ask({})));
  const taskPushNotificationConfig = config(receiver().url);
  const nothing = sending([data({ toolOutputs: {} })], { taskId }, { taskPushNotificationConfig });
  await expect(client.sendMessage(nothing)).rejects.toThrow('answers nothing');
  const all = { tenant: '', taskId, pageSize: 0, pageToken: '' };
  expect((await client.listTaskPushNotificationConfig(all)).configs).toEqual([]);
  await client.sendMessage(sending([text('warm')], { taskId }, { taskPushNotificationConfig }));
  expect((await client.listTaskPushNotificationConfig(all)).configs).toHaveLength(1);
});
