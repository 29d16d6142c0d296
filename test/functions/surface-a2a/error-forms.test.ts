import { expect, test } from 'vitest';
import { restErrorBody, rpcErrorBody } from '../../../shared/adapters/a2a-server/error-bodies.ts';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { newTenant } from '../../support/stack/stack.ts';
import { a2aWorld, addSkill } from '../../support/surfaces/a2a-surface.ts';

const message = (messageId = 'm-1') => ({ messageId, role: 'ROLE_USER', parts: [{ text: 'Ada' }] });
const rpc = (method: unknown, params: unknown = { message: message() }, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params,
  ...more,
});

/** Sends as it is, without the client. */
async function ask(url: string, credential: string | undefined, body?: unknown, more: object = {}) {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...more,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, answer: await response.json() };
}

interface Refused {
  credential: string;
  body: string;
  type?: string;
}

type Given = string | undefined | Refused;
const refusals: [string, number, number, (key: string, stranger: string) => Given][] = [
  ['no credential', 401, -32_600, () => undefined],
  ['an invalid credential', 401, -32_600, () => 'nonsense'],
  ['an invalid credential and a malformed body', 401, -32_600, () => ({ credential: 'nonsense', body: '{' })],
  ['a credential of another tenant', 404, -32_600, (_key, stranger) => stranger],
  ['a malformed body', 400, -32_700, (credential) => ({ credential, body: '{' })],
  ['a body that is a list', 400, -32_600, (credential) => ({ credential, body: '[]' })],
  ['another media type', 415, -32_005, (credential) => ({ credential, body: '<a/>', type: 'text/xml' })],
];
test.each(refusals)('%s: %d, in the form of each binding', async (_, status, code, given) => {
  const { url, key } = await a2aWorld();
  const stranger = await newTenant();
  const refusal = given(key, stranger.token);
  const {
    credential,
    body,
    type = 'application/json',
  } = typeof refusal === 'object' ? refusal : { credential: refusal, body: undefined };
  const send = (below: string, good: object) =>
    ask(url + below, credential, body ?? good, { 'content-type': type });
  const rest = await send('/message:send', { message: message() });
  expect(rest.status).toBe(status);
  expect(restErrorBody.schema.parse(rest.answer)).toMatchObject({ error: { code: status } });
  const ofRpc = await send('', rpc('SendMessage'));
  expect(ofRpc.status).toBe(status);
  expect(rpcErrorBody.schema.parse(ofRpc.answer)).toMatchObject({ error: { code } });
  for (const { headers } of status === 401 ? [rest, ofRpc] : [])
    expect(headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
});

test('every operation of HTTP+JSON refuses a caller without a credential in its form', async () => {
  const { url } = await a2aWorld();
  const below = [
    '/tasks',
    '/tasks/x',
    '/tasks/x/pushNotificationConfigs',
    '/tasks/x/pushNotificationConfigs/y',
  ];
  for (const path of [...below, '/extendedAgentCard']) {
    const { status, answer } = await ask(url + path, undefined);
    expect(status, path).toBe(401);
    expect(restErrorBody.schema.parse(answer), path).toMatchObject({ error: { status: 'UNAUTHENTICATED' } });
  }
});

test.each([
  ['no method', { jsonrpc: '2.0', id: 7 }, 7],
  ['no method, with parameters', { jsonrpc: '2.0', id: 'a', params: { message: message() } }, 'a'],
  ['an empty method', rpc(''), 7],
  ['a method that is a number', rpc(5), 7],
  ['another version, with invalid parameters', { ...rpc('SendMessage', {}), jsonrpc: '1.0' }, 7],
  ['an id that is an object', rpc('GetTask', { id: 'x' }, { id: {} }), null],
  ['an id that is a fraction', rpc('GetTask', { id: 'x' }, { id: 1.5 }), null],
])('%s: -32600 in both versions', async (_, body, id) => {
  const { url, key } = await a2aWorld();
  for (const version of ['1.0', '0.3']) {
    const { answer } = await ask(url, key, body, { 'a2a-version': version });
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32_600 } });
  }
});

test('unknown members are ignored in both bindings, and members that the path names too', async () => {
  const world = await a2aWorld();
  const { url, key, tenant } = world;
  const tool = { name: 'thermometer', description: 'd', toolType: 'local', parametersSchema: {}, config: {} };
  const agent = await createScriptedAgent(tenant, { tools: { runtimeTools: [tool] } });
  await addSkill(world, { capabilityName: 'Measure', agentId: agent.id });
  const extra = { unknown: { deep: [1] } };
  const sent = (messageId: string) => ({
    ...extra,
    tenant: 'x',
    configuration: extra,
    message: {
      ...message(messageId),
      ...extra,
      metadata: { skillId: 'measure' },
      parts: [{ text: scripted(calls(['thermometer']), { text: 'warm' }), ...extra }],
    },
  });
  const byRpc = await ask(url, key, rpc('SendMessage', sent('m-2'), extra));
  expect(byRpc.answer.result.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const { answer } = await ask(`${url}/message:send`, key, sent('m-3'));
  const { id, status } = answer.task;
  expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const of = `${url}/tasks/${id}`;
  const other = { ...extra, id: 'task_other', taskId: 'task_other', tenant: 'x' };
  expect((await ask(`${of}?unknown=1`, key)).answer.id).toBe(id);
  const config = { ...other, id: 'mine', url: 'https://example.com/a' };
  const added = await ask(`${of}/pushNotificationConfigs`, key, config);
  expect(added.answer).toMatchObject({ taskId: id, id: 'mine' });
  const cancelled = await ask(`${of}:cancel`, key, other);
  expect(cancelled.answer).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
});
