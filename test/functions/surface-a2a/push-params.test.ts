import { expect, test } from 'vitest';
import { createScriptedAgent } from '../../support/agents/agent-runs.ts';
import { a2aClient, a2aWorld, addSkill, sending, taskIn, text } from '../../support/surfaces/a2a-surface.ts';

const url = 'https://example.com/told';
/** Configs that are not right, and the member that is named. */
const wrong: [config: unknown, member: string][] = [
  [7, ''],
  [[], ''],
  [{}, 'url'],
  [{ url: 7 }, 'url'],
  [{ url: '\ud800' }, 'url'],
  [{ url, id: {} }, 'id'],
  [{ url, id: 7 }, 'id'],
  [{ url, token: {} }, 'token'],
  [{ url, authentication: 'x' }, 'authentication'],
  [{ url, authentication: { scheme: 7, schemes: 7 } }, 'authentication.scheme'],
  [{ url, authentication: { schemes: [7] } }, 'authentication.scheme'],
  [{ url, authentication: { scheme: 'Bearer', schemes: ['Bearer'] } }, 'authentication.credentials'],
];

/** A working task, and how a config for it is refused in each protocol. */
async function worldWithTask() {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant, { model: 'generic-openai/hanging' });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const client = await a2aClient(world.url, world.key);
  const message = sending([text('x')], { skillId: 'ask' }, { returnImmediately: true });
  const { id: taskId } = taskIn(await client.sendMessage(message));
  const post = async (at: string, body: unknown) => {
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
    const response = await fetch(at, { method: 'POST', headers, body: JSON.stringify(body) });
    return {
      status: response.status,
      ...((await response.json()) as { error?: Refused; details?: unknown[] }),
    };
  };
  const rpc = async (method: string, params: unknown) =>
    (await post(world.url, { jsonrpc: '2.0', id: 1, method, params })).error;
  return { ...world, taskId, post, rpc };
}
interface Refused {
  code: number;
  message: string;
}
const refusal = (member: string) => ({ code: -32602, message: expect.stringContaining(member) });

test('a config that is none is an error of the caller, which names the member', async () => {
  const { url: at, taskId, post, rpc } = await worldWithTask();
  const parts = [{ text: 'x' }];
  for (const [config, member] of wrong) {
    const isObject = typeof config === 'object' && !Array.isArray(config);
    const params = isObject ? { taskId, ...config } : config;
    expect(await rpc('CreateTaskPushNotificationConfig', params)).toMatchObject(refusal(member));
    const set = await rpc('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: config });
    expect(set).toMatchObject(refusal(member));
    const message = { messageId: 'm', role: 'ROLE_USER', parts, metadata: { skillId: 'ask' } };
    const configuration = { taskPushNotificationConfig: config };
    expect(await rpc('SendMessage', { message, configuration })).toMatchObject(refusal(member));
    const former = { ...message, kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
    const ofFormer = { message: former, configuration: { pushNotificationConfig: config } };
    expect(await rpc('message/send', ofFormer)).toMatchObject(refusal(member));
    const rest = await post(`${at}/tasks/${taskId}/pushNotificationConfigs`, config);
    expect([rest.status, JSON.stringify(rest)]).toEqual([400, expect.stringContaining(member)]);
  }
});

test('no request about configs is an internal error, whatever its parameters are', async () => {
  const { taskId, rpc } = await worldWithTask();
  const methods = ['Get', 'List', 'Delete', 'Create'].map((verb) =>
    verb === 'List' ? 'ListTaskPushNotificationConfigs' : `${verb}TaskPushNotificationConfig`,
  );
  const former = ['get', 'list', 'delete', 'set'].map((verb) => `tasks/pushNotificationConfig/${verb}`);
  for (const method of [...methods, ...former]) {
    for (const params of [
      null,
      7,
      'x',
      [],
      {},
      { taskId: 7 },
      { taskId, id: {} },
      { id: taskId, pushNotificationConfigId: {} },
    ]) {
      const error = await rpc(method, params);
      if (error) expect([method, params, error.code]).not.toEqual([method, params, -32603]);
    }
  }
  expect(await rpc('tasks/pushNotificationConfig/set', { taskId })).toMatchObject(
    refusal('pushNotificationConfig'),
  );
});
