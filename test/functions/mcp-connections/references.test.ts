import { expect, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { updateAgent } from '../../support/agents/agents.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { connected, createConnectedTool, newRealm } from '../../support/servers/oauth.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const unknown = 'mcpconn_01k9m4v7d3x8qz5w2r6t0y1hbn';
const serverWith = (url: string, auth: object) => ({
  tools: { mcpServers: [{ id: 'who', url, auth: { type: 'oauth', ...auth } }] },
});
const place = 'config.tools.mcpServers.0.auth.connectionId';

async function setUp() {
  const tenant = await newTenant();
  const realm = await newRealm();
  return { tenant, realm, connectionId: (await connected(tenant, realm)).id };
}

test('an agent names a connection of its tenant, for a URL of it', async () => {
  const { tenant, realm, connectionId } = await setUp();
  const create = async (config: object, caller = tenant) => {
    const { status, body } = await caller.call('POST', '/v1/agents', { body: { name: 'A', config } });
    return [status, body.details?.[0]];
  };
  const missing = { path: place, code: 'NOT_FOUND', message: 'MCP connection not found' };
  expect(await create(serverWith(realm.url, { connectionId: unknown }))).toEqual([400, missing]);
  expect(await create(serverWith(realm.url, { connectionId }), await newTenant())).toEqual([400, missing]);
  expect(await create(serverWith('https://example.com/mcp', { connectionId }))).toEqual([
    400,
    expect.objectContaining({ path: place, code: 'INVALID_VALUE' }),
  ]);
  expect(await create(serverWith(realm.url, {}))).toEqual([
    400,
    expect.objectContaining({ path: place, code: 'MISSING_REQUIRED_FIELD' }),
  ]);
  expect(await create(serverWith(realm.url, { connectionId, token: 'a token of mine' }))).toEqual([
    400,
    expect.objectContaining({ path: 'config.tools.mcpServers.0.auth.token', code: 'INVALID_VALUE' }),
  ]);
  expect(await create(serverWith(realm.url, { type: 'bearer', connectionId }))).toEqual([
    400,
    expect.objectContaining({ path: place, code: 'INVALID_VALUE' }),
  ]);
});

test('an agent whose connection was deleted can be changed, and its runs say what is missing', async () => {
  const { tenant, realm, connectionId } = await setUp();
  const agent = await createScriptedAgent(tenant, serverWith(realm.url, { connectionId }));
  await expectStatus(200, tenant.call('DELETE', `/v1/mcp-connections/${connectionId}`));
  expect(await updateAgent(tenant, agent.id, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
  const answer = await answered(run(tenant, agent.id, scripted({ text: 'Without' })));
  expect(answer).toMatchObject({ success: true });
});

test('a tool names a connection of its tenant, for a URL of it', async () => {
  const { tenant, realm, connectionId } = await setUp();
  const create = async (url: string, id: string, caller = tenant) => {
    const config = { url, toolName: 'whoami', auth: { type: 'oauth', connectionId: id } };
    const body = {
      toolType: 'mcp',
      name: 'Who',
      description: 'It',
      parametersSchema: { type: 'object' },
      config,
    };
    const answer = await caller.call('POST', '/v1/tools', { body });
    return [answer.status, answer.body.details?.[0]?.path, answer.body.details?.[0]?.code];
  };
  const path = 'config.auth.connectionId';
  expect(await create(realm.url, unknown)).toEqual([400, path, 'NOT_FOUND']);
  expect(await create(realm.url, connectionId, await newTenant())).toEqual([400, path, 'NOT_FOUND']);
  expect(await create('https://example.com', connectionId)).toEqual([400, path, 'INVALID_VALUE']);
  expect(await create(realm.url, 'none')).toEqual([400, path, 'INVALID_FORMAT']);

  const tool = await createConnectedTool(tenant, connectionId, realm.url);
  const config = { url: 'https://example.com', toolName: 'x', auth: { type: 'oauth', connectionId } };
  const refused = await tenant.call('PUT', `/v1/tools/${tool.id}`, { body: { config } });
  expect([refused.status, refused.body.details[0].path]).toEqual([400, path]);
});

test('an inline agent with a connection takes the permission to write agents', async () => {
  const { tenant, realm, connectionId } = await setUp();
  const config = {
    model: 'generic-openai/scripted',
    loopConfig: { maxTurns: 5 },
    ...serverWith(realm.url, { connectionId }),
  };
  const body = (named = config) => ({
    agent: { config: named },
    messages: [{ role: 'user', content: scripted(calls(['who__whoami']), { text: 'Done' }) }],
    options: { streamResponse: false },
  });
  const dispatch = (call: typeof tenant.call, given = body()) =>
    call('POST', '/v1/dispatch', { body: given });
  const permissions = ['AGENTS:EXECUTE', 'FLOWS:EXECUTE', 'TOOLS:EXECUTE'];
  const few = await newKey(tenant, { permissions });
  await expectStatus(403, dispatch(few.call));
  const enough = await newKey(tenant, { permissions: [...permissions, 'AGENTS:WRITE'] });
  expect(JSON.stringify(await expectStatus(200, dispatch(enough.call)))).toContain('Done');
  const other = { ...config, ...serverWith(realm.url, { connectionId: unknown }) };
  await expectStatus(400, dispatch(enough.call, body(other)));
});

test('a prompt uses a connection, which an inline flow may name with the permission to write flows', async () => {
  const { tenant, realm, connectionId } = await setUp();
  const step = (id: string, url = realm.url) => ({
    type: 'prompt',
    name: 'ask',
    config: {
      model: 'generic-openai/scripted',
      userPrompt: scripted(calls(['who__whoami']), { text: 'Done' }),
      tools: { mcpServers: [{ id: 'who', url, auth: { type: 'oauth', connectionId: id } }] },
    },
  });
  const save = async (...given: Parameters<typeof step>) => {
    const body = { name: 'Asks', flowSteps: [step(...given)] };
    const { status, body: answer } = await tenant.call('POST', '/v1/flows', { body });
    return [status, answer.details?.[0]];
  };
  const path = 'flowSteps.0.config.tools.mcpServers.0.auth.connectionId';
  expect(await save(unknown)).toEqual([400, expect.objectContaining({ path, code: 'NOT_FOUND' })]);
  const elsewhere = await save(connectionId, 'https://example.com/mcp');
  expect(elsewhere).toEqual([400, expect.objectContaining({ path, code: 'INVALID_VALUE' })]);
  expect(await save(connectionId)).toEqual([201, undefined]);

  const body = {
    flow: { name: 'Inline', steps: [step(connectionId)] },
    options: { streamResponse: false },
  };
  const few = await newKey(tenant, { permissions: ['FLOWS:EXECUTE', 'TOOLS:EXECUTE'] });
  const refused = await expectStatus(403, few.call('POST', '/v1/dispatch', { body }));
  expect(refused.details).toContain('FLOWS:WRITE');
  const result = JSON.stringify(await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body })));
  expect(result).toContain('Done');
  expect(result).not.toMatch(/access-[0-9a-f]{8}-/);
});
