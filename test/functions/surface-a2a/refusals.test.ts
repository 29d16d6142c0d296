import { expect, test } from 'vitest';
import { restErrorBody, rpcErrorBody } from '../../../shared/adapters/a2a-server/error-bodies.ts';
import { agentLevelsMax } from '../../../shared/core/agent-depth.ts';
import { createScriptedAgent } from '../../support/agents/agent-runs.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  data,
  keyOfSurface,
  sending,
  shownTask,
  text,
} from '../../support/surfaces/a2a-surface.ts';

const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Ada' }] };
const rpc = (method: string, params: unknown = { message }) => ({ jsonrpc: '2.0', id: 7, method, params });

/** Sends as it is, without the client. */
async function post(url: string, key: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = JSON.parse(await response.text());
  return { status: response.status, answer };
}

const failing = {
  ...template('-', 'made'),
  type: 'transform-data',
  config: { script: 'throw Error("Inner reason")' },
};

test.each(a2aProtocols)(
  '%s %s: a failed run is a failed task; only test keys learn why',
  async (...protocol) => {
    const { url, key, tenant, path } = await a2aWorld([failing]);
    const testKey = await keyOfSurface(tenant, path, { environment: 'test' });
    const failure = async (value: string) => {
      const client = await a2aClient(url, value, protocol);
      const task = await client.sendMessage(sending([text('x')]));
      expect(shownTask(task)).toMatchObject({ state: 'failed', answer: [] });
      return shownTask(await client.getTask({ tenant: '', id: (task as { id: string }).id })).said;
    };
    expect(await failure(key)).toEqual(['The run failed']);
    expect(await failure(testKey)).toEqual([expect.stringContaining('Inner reason')]);
  },
);

test('a failed agent in the background tells a live key no reason', async () => {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant, { model: 'generic-openai/refusing' });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const client = await a2aClient(world.url, world.key);
  expect(shownTask(await client.sendMessage(sending([text('x')], { skillId: 'ask' })))).toEqual({
    state: 'failed',
    said: ['The run failed'],
    answer: [],
  });
});

test.each(a2aProtocols)('%s %s: messages that fit no skill say what is wrong', async (...protocol) => {
  const world = await a2aWorld();
  const flow = await publishedFlow(world.tenant, [template('{{ a }} {{ b }}')]);
  await addSkill(world, { capabilityName: 'Two', flowId: flow.id });
  const client = await a2aClient(world.url, world.key, protocol);
  const refused = async (parts: Parameters<typeof sending>[0], more: object, words: string) =>
    expect(client.sendMessage(sending(parts, more))).rejects.toThrow(words);
  await refused([text('x')], {}, 'Name a skill in message.metadata.skillId. The skills are: greet, two');
  await refused([text('x')], { skillId: 'three' }, 'There is no such skill. The skills are: greet, two');
  await refused(
    [text('x')],
    { skillId: 'two' },
    'The skill takes no text. Send a data part with its parameters: a, b',
  );
  await refused([data({ a: 1 })], { skillId: 'two' }, 'b');
  await refused([data([1])], { skillId: 'two' }, 'A data part must be an object');
  await refused([], { skillId: 'two' }, 'at least one part');
  const file = {
    ...text(''),
    content: { $case: 'url' as const, value: 'https://example.com/a.png' },
    mediaType: 'image/png',
  };
  await refused([file], { skillId: 'two' }, 'no files');
  const pdfOnly = sending(
    [data({ a: 1, b: 2 })],
    { skillId: 'two' },
    { acceptedOutputModes: ['application/pdf'] },
  );
  await expect(client.sendMessage(pdfOnly)).rejects.toThrow('Answers are text/plain or application/json');
});

test('what is no request of the protocol gets an error of JSON-RPC', async () => {
  const { url, key } = await a2aWorld();
  const code = async (body: unknown, headers = {}) => {
    const { status, answer } = await post(url, key, body, headers);
    expect(status).toBe(200);
    return answer.error.code;
  };
  expect(await code({})).toBe(-32600);
  expect(await code({ jsonrpc: '1.0', id: 1, method: 'SendMessage' })).toBe(-32600);
  for (const method of ['NoSuchMethod', 'no/such/method', '__proto__', 'constructor', 'toString']) {
    expect(await code(rpc(method))).toBe(-32601);
  }
  expect(await code(rpc('SendMessage', {}))).toBe(-32602);
  expect(await code(rpc('SendMessage', []))).toBe(-32602);
  expect(await code(rpc('SendMessage', { message: { ...message, messageId: '' } }))).toBe(-32602);
  expect(await code(rpc('SendMessage', { message: { ...message, contextId: 'x'.repeat(257) } }))).toBe(
    -32602,
  );
  expect(await code(rpc('SendMessage', { message: { ...message, metadata: { skillId: 1 } } }))).toBe(-32602);
  expect(await code(rpc('GetTask', { id: 'task_unknown' }))).toBe(-32001);
  expect(await code(rpc('GetTask', { id: 'x', historyLength: -1 }))).toBe(-32602);
  expect(await code(rpc('ListTasks', { pageSize: 101 }))).toBe(-32602);
  expect(await code(rpc('ListTasks', { pageToken: 'x' }))).toBe(-32602);
  expect(await code(rpc('ListTasks', { status: 'TASK_STATE_NONE' }))).toBe(-32602);
  expect(await code(rpc('ListTasks', { statusTimestampAfter: 'soon' }))).toBe(-32602);
  expect(await code(rpc('SendMessage'), { 'a2a-version': '2.0' })).toBe(-32009);
  expect((await post(url, key, '{')).status).toBe(400);
});

test('requests of HTTP+JSON get statuses', async () => {
  const { url, key } = await a2aWorld();
  const status = async (
    method: string,
    below: string,
    { body, headers }: { body?: object; headers?: Record<string, string> } = {},
  ) => {
    const response = await fetch(`${url}${below}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.text();
    return response.status;
  };
  expect(await status('POST', '/message:send', { body: { message } })).toBe(200);
  expect(await status('POST', '/message:send', { body: {} })).toBe(400);
  expect(await status('POST', '/message:shout', { body: { message } })).toBe(400);
  expect(
    await status('POST', '/message:send', { body: { message }, headers: { 'a2a-version': '0.3' } }),
  ).toBe(400);
  expect(await status('GET', '/tasks')).toBe(200);
  expect(await status('GET', '/tasks?pageSize=0')).toBe(400);
  expect(await status('GET', '/tasks?status=NONE')).toBe(400);
  expect(await status('GET', '/tasks/task_unknown')).toBe(404);
  expect(await status('GET', '/tasks/task_unknown:subscribe')).toBe(404);
  expect(await status('POST', '/tasks/task_unknown:cancel')).toBe(404);
  expect(await status('POST', '/tasks/task_unknown:stop')).toBe(400);
});

test('errors before the handler have the form of the binding', async () => {
  const { url, key } = await a2aWorld();
  const send = async (below: string, body: string, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const response = await fetch(`${url}${below}`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };
  const rest = (status: number, name: string) => ({
    status,
    body: {
      error: { code: status, status: name, message: expect.any(String), details: [expect.anything()] },
    },
  });
  expect(await send('/message:send', '{')).toMatchObject(rest(400, 'INVALID_ARGUMENT'));
  const xml = { 'content-type': 'text/xml' };
  const info = [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED', domain: 'a2a-protocol.org' }];
  const refused = await send('/message:send', '<a/>', xml);
  expect(refused).toMatchObject(rest(415, 'INVALID_ARGUMENT'));
  expect(refused.body.error.details).toMatchObject(info);
  const foreign = url.replace(/product_\w+/, 'product_01k9m4v7d3x8qz5w2r6t0y1hbn');
  const elsewhere = await fetch(`${foreign}/tasks`, { headers: { authorization: `Bearer ${key}` } });
  expect([403, 404]).toContain(elsewhere.status);
  expect((await elsewhere.json()).error).toMatchObject({
    code: elsewhere.status,
    message: expect.any(String),
  });
  const rpcError = (code: number) => ({ jsonrpc: '2.0', id: null, error: { code } });
  expect((await send('', '{')).body).toMatchObject(rpcError(-32_700));
  const refusedRpc = await send('', '<a/>', xml);
  expect(refusedRpc.body).toMatchObject({ ...rpcError(-32_005), error: { code: -32_005, data: info } });
  expect(rpcErrorBody.schema.parse(refusedRpc.body)).toEqual(refusedRpc.body);
  // As the OpenAPI document says.
  restErrorBody.schema.parse((await send('/message:send', '{')).body);
  restErrorBody.schema.parse((await send('/message:send', '{}')).body);
  rpcErrorBody.schema.parse((await send('', '{')).body);
  const noMethod = (await send('', '{"jsonrpc":"2.0","id":7}')).body;
  expect(noMethod).toMatchObject({ id: 7, error: { code: -32_600 } });
});

test('members of the body that the path of a task names, and unknown ones, are ignored', async () => {
  const { url, key } = await a2aWorld();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'task_unknown', unknown: 1 });
  const response = await fetch(`${url}/tasks/task_unknown:cancel`, { method: 'POST', headers, body });
  expect(response.status).toBe(404);
});

test('who may call: keys in scope, test keys for drafts, nobody while it is paused', async () => {
  const { url, key, tenant, path, productId } = await a2aWorld();
  const status = async (credential: string, at = url) =>
    (await post(at, credential, rpc('SendMessage'))).status;
  const [testKey, otherScope] = await Promise.all([
    keyOfSurface(tenant, path, { environment: 'test' }),
    keyOfSurface(tenant, path, { environment: 'production', scopes: ['other'] }),
  ]);
  const [may, mayNot] = await Promise.all([
    newKey(tenant, { permissions: ['PRODUCTS:EXECUTE'] }),
    newKey(tenant, { permissions: ['PRODUCTS:READ'] }),
  ]);
  const stranger = await newTenant();
  expect(await status(key)).toBe(200);
  expect(await status(tenant.token)).toBe(200);
  expect(await status(may.key)).toBe(200);
  expect(await status(otherScope)).toBe(403);
  expect(await status(mayNot.key)).toBe(403);
  expect(await status(stranger.token)).toBe(404);
  expect(await status('nonsense')).toBe(401);
  const api = await expectStatus(
    201,
    tenant.call('POST', `/v1/products/${productId}/surfaces`, {
      body: { name: 'Api', type: 'api', status: 'active' },
    }),
  );
  const ofOther = `${new URL(url).origin}/v1/products/${productId}/surfaces/${api.id}/a2a`;
  expect(await status(tenant.token, ofOther)).toBe(404);
  expect(await status(key, ofOther)).toBe(404);
  await expectStatus(200, tenant.call('PUT', path, { body: { status: 'draft' } }));
  expect(await status(testKey)).toBe(200);
  expect(await status(key)).toBe(403);
  await expectStatus(200, tenant.call('PUT', path, { body: { status: 'paused' } }));
  expect(await status(testKey)).toBe(403);
});

test('a call beyond the depth limit is refused, and a forged depth gains nothing', async () => {
  const { url, key } = await a2aWorld();
  const status = async (depth: string) =>
    (await post(url, key, rpc('SendMessage'), { 'x-agent-depth': depth })).status;
  expect(await status(String(agentLevelsMax))).toBe(200);
  expect(await status(String(agentLevelsMax + 1))).toBe(422);
  for (const forged of ['-5', 'x', '']) expect(await status(forged)).toBe(200);
});

test('without the header of the version the method tells it', async () => {
  const { url, key } = await a2aWorld();
  const former = { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'Ada' }] };
  const { answer: ofFormer } = await post(url, key, rpc('message/send', { message: former }));
  expect(ofFormer.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  const { answer } = await post(url, key, rpc('SendMessage'));
  expect(answer.result.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
});

test('malformed input is an error of the caller in all protocols', async () => {
  const { url, key } = await a2aWorld();
  const refusal = async (body: unknown) => {
    const { answer } = await post(url, key, body);
    return [answer.error?.code, answer.error?.message ?? JSON.stringify(answer)];
  };
  const sent = (more: object, method = 'SendMessage') => rpc(method, { message: { ...message, ...more } });
  for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
    for (const id of ['x'.repeat(1_025), '', 7, '\ud800']) {
      expect(await refusal(rpc(method, { id }))).toEqual([-32001, expect.stringContaining('not found')]);
    }
  }
  expect(await refusal(rpc('tasks/get', { id: 7 }))).toEqual([-32001, expect.any(String)]);
  for (const name of ['contextId', 'taskId', 'messageId']) {
    const words = expect.stringContaining(`message.${name}`);
    expect(await refusal(sent({ [name]: '\ud800' }))).toEqual([-32602, words]);
    expect(await refusal(sent({ [name]: {} }))).toEqual([-32602, words]);
  }
  const nested = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
  const wrong = [
    [sent({ parts: [{ data: { nested } }] }), 'nested more than 100 levels deep'],
    [sent({ parts: [{ data: { person: 'Ada', constructor: 1 } }] }), 'constructor'],
    [sent({ parts: [null] }), 'message.parts.0'],
    [sent({ parts: [null] }, 'SendStreamingMessage'), 'message.parts.0'],
    [sent({ parts: [{ text: {} }] }), 'message.parts.0.text'],
    [sent({ parts: [{ kind: 'file', file: null }] }, 'message/send'), 'message.parts.0.file'],
    [sent({ role: 'ROLE_AGENT' }), 'message.role'],
  ] as const;
  for (const [body, words] of wrong) {
    expect(await refusal(body)).toEqual([-32602, expect.stringContaining(words)]);
  }
  for (const pageToken of ['x', '\ud800', Buffer.from('{"id":"\ud800"}').toString('base64url')]) {
    expect(await refusal(rpc('ListTasks', { pageToken }))).toEqual([
      -32602,
      expect.stringContaining('pageToken'),
    ]);
  }
  for (const operation of ['send', 'stream']) {
    const { status, answer } = await post(`${url}/message:${operation}`, key, {
      message: { ...message, parts: [null] },
    });
    expect([status, answer.error.message]).toEqual([400, expect.stringContaining('message.parts.0')]);
  }
});

test('an empty header of the version means 0.3', async () => {
  const { url, key } = await a2aWorld();
  const former = { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'Ada' }] };
  const { answer } = await post(url, key, rpc('message/send', { message: former }), { 'a2a-version': '' });
  expect(answer.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
});
