import { expect, test } from 'vitest';
import { generateKey } from '../../../shared/platform/auth/key-format.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { createFlow, template } from '../../support/flows/flows.ts';
import { newConfig } from '../../support/models/model-configs.ts';
import { openAi, requestError, served, userMessages } from '../../support/models/openai.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { call, newTenant } from '../../support/stack/stack.ts';

const errorOf = (code: string | null) => ({
  error: { message: expect.any(String), type: 'invalid_request_error', param: null, code },
});

const requests: [string, string, object?][] = [
  ['POST', 'chat/completions', { model: 'default', messages: userMessages('hi') }],
  ['POST', 'responses', { model: 'default', input: 'hi' }],
  ['POST', 'embeddings', { model: 'default', input: 'hi' }],
  ['GET', 'models'],
  ['GET', 'models/default'],
];

test.each(requests)(
  '%s %s: 401 in the form of OpenAI, without a word of a limit that is reached',
  async (method, path, body) => {
    const wrong = { authorization: `Bearer ${generateKey('production')}` };
    for (const headers of [
      undefined,
      wrong,
      { authorization: 'Bearer a.b.c' },
      { authorization: 'Basic eA==' },
    ]) {
      const answer = await call(method, `/v1/openai/${path}`, { body, ...(headers && { headers }) });
      expect(answer).toMatchObject({ status: 401, body: errorOf('invalid_api_key') });
      expect(Object.keys(answer.body)).toEqual(['error']);
      expect(answer.headers.get('x-ratelimit-limit')).not.toBe('0');
      expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    }
  },
);

test('a key that was deleted a moment after it was used is refused', async () => {
  const { tenant, id, key } = await tenantWithKey(['FLOWS:EXECUTE']);
  const client = openAi(key);
  const ask = () => client.chat.completions.create({ model: served('echo'), messages: userMessages('hi') });
  await ask();
  await tenant.call('DELETE', `/v1/api-keys/${id}`);
  await eventually(async () =>
    expect(await requestError(ask())).toMatchObject({ status: 401, code: 'invalid_api_key' }),
  );
});

test.each([
  ['POST', 'completions'],
  ['POST', 'audio/transcriptions'],
  ['GET', 'files'],
  ['GET', 'responses/resp_1'],
  ['DELETE', 'chat/completions'],
  ['PATCH', 'models/default'],
  ['GET', ''],
])('%s %s: 404 in the form of OpenAI for what is not offered', async (method, path) => {
  for (const { token } of [await newTenant(), { token: undefined }]) {
    const answer = await call(
      method,
      `/v1/openai/${path}`,
      token ? { headers: { authorization: `Bearer ${token}` } } : {},
    );
    expect(answer).toMatchObject({ status: 404, body: errorOf(null) });
    expect(answer.body.error.message).toContain(`No such endpoint: ${method} /v1/openai/${path}`);
    expect(answer.headers.get('content-type')).toBe('application/json');
  }
});

test('a path with quotes does not break the error', async () => {
  const { status, body } = await call('GET', `/v1/openai/it's"odd"`);
  expect({ status, body }).toMatchObject({ status: 404, body: errorOf(null) });
});

test('the package gets each model by its name, listed or not, and 404 model_not_found for all others', async () => {
  const tenant = await newTenant();
  const client = openAi((await newKey(tenant, { permissions: ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'] })).key);
  const config = await newConfig(tenant, { provider: 'generic-openai', modelId: 'echo' });
  const agent = await createAgent(tenant, { name: 'Helper' });
  const flow = await createFlow(tenant, [template('hi')], 'Say / it, twice?');
  const listed = (await Array.fromAsync(await client.models.list())).map(({ id }) => id);
  expect(listed.length).toBeGreaterThan(3);
  const others = [config.id, `agent/${agent.id}`, `flow/${flow.id}`, 'generic-openai/another/one'];
  for (const id of [...listed, ...others]) {
    const found = await client.models.retrieve(id);
    expect(found, id).toMatchObject({
      id,
      object: 'model',
      created: expect.any(Number),
      owned_by: expect.any(String),
    });
  }
  const plain = await tenant.call('GET', '/v1/openai/models/generic-openai/echo');
  expect(plain).toMatchObject({ status: 200, body: { id: 'generic-openai/echo' } });
  const other = await createFlow(await newTenant(), [template('hi')], 'Theirs');
  const missing = [
    'no-such-model',
    'nobody/model',
    'agent/Nobody',
    'flow/Theirs',
    `flow/${other.id}`,
    'agent/',
  ];
  for (const name of missing) {
    const error = await requestError(client.models.retrieve(name));
    expect(error, name).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
  }
});

test('a key gets only what it may run', async () => {
  const tenant = await newTenant();
  await createAgent(tenant, { name: 'Helper' });
  await createFlow(tenant, [template('hi')], 'Greet');
  const clientWith = async (permission: string) =>
    openAi((await newKey(tenant, { permissions: [permission] })).key);
  const [forFlows, forAgents] = [await clientWith('FLOWS:EXECUTE'), await clientWith('AGENTS:EXECUTE')];
  const refused = { status: 403, code: 'insufficient_permissions' };
  expect(await requestError(forFlows.models.retrieve('agent/Helper'))).toMatchObject(refused);
  expect(await requestError(forAgents.models.retrieve('flow/Greet'))).toMatchObject(refused);
  expect(await requestError(forAgents.models.retrieve('default'))).toMatchObject(refused);
  expect(await forFlows.models.retrieve('flow/Greet')).toMatchObject({ owned_by: 'flow' });
});
