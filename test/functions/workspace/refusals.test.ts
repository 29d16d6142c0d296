import { expect, test } from 'vitest';
import { applyIn, exportWorkspace, planIn, succeeding } from '../../support/files/workspaces.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { callerWith, newTenant, type Tenant } from '../../support/stack/stack.ts';

const flow = (name: string, config: object = { variableName: 'a', value: 'x' }, type = 'set-variable') => ({
  name,
  flowSteps: [{ type, name: 'Step', config }],
});

/** What both say of a document, after which nothing is stored. */
async function refusalOf(tenant: Tenant, document: unknown) {
  const { errors } = await planIn(tenant, { document });
  const applied = await tenant.call('POST', '/v1/workspace/apply', { body: { document } });
  expect([applied.status, applied.body.details]).toEqual([400, errors]);
  const stored = Object.values<unknown[]>(await exportWorkspace(tenant)).flat();
  expect(stored).toEqual([]);
  return errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
}

test.each([
  ['a name that nothing has', { flowId: 'Unknown' }, 'flows.1.flowSteps.0.config.flowId NOT_FOUND'],
  ['the id of a flow', { flowId: `flow_0${'1'.repeat(25)}` }, 'flows.1.flowSteps.0.config.flowId NOT_FOUND'],
  ['an unknown member', { flowId: 'Fine', other: 1 }, 'flows.1.flowSteps.0.config.other UNKNOWN_MEMBER'],
])('%s is an error with its place, and nothing changes', async (_name, config, error) => {
  const document = { flows: [flow('Fine'), flow('Wrong', config, 'flow')] };
  expect(await refusalOf(await newTenant(), document)).toEqual([error]);
});

test.each([
  [
    'an unknown tool',
    { agents: [{ name: 'A', config: { tools: { toolIds: ['tool:No'] } } }] },
    'agents.0.config.tools.toolIds.0 NOT_FOUND',
  ],
  [
    'the id of a tool',
    { agents: [{ name: 'A', config: { tools: { toolIds: [`tool_0${'1'.repeat(25)}`] } } }] },
    'agents.0.config.tools.toolIds.0 NOT_FOUND',
  ],
  [
    'an unknown model config',
    { agents: [{ name: 'A', config: { model: 'modelConfig:x/y' } }] },
    'agents.0.config.model NOT_FOUND',
  ],
  [
    'a template that does not parse',
    { flows: [flow('A', { variableName: 'a', value: '{{ a' })] },
    'flows.0.flowSteps.0.config.value INVALID_TEMPLATE',
  ],
  ['a name twice', { flows: [flow('A'), flow('A')] }, 'flows.1.name NAME_TAKEN'],
  [
    'another name for a model config',
    { modelConfigs: [{ name: 'Fast', provider: 'openai', modelId: 'gpt-5-mini' }] },
    'modelConfigs.0.name INVALID_VALUE',
  ],
  [
    'an unknown capability',
    { products: [{ name: 'P', surfaces: [{ name: 'S', type: 'api', items: [{ capabilityId: 'no' }] }] }] },
    'products.0.surfaces.0.items.0.capabilityId NOT_FOUND',
  ],
  [
    'the value of a credential',
    {
      agents: [
        {
          name: 'A',
          config: {
            tools: {
              mcpServers: [
                { id: 'm', url: 'https://m.example.com', auth: { type: 'bearer', token: 'plain-value' } },
              ],
            },
          },
        },
      ],
    },
    'agents.0.config.tools.mcpServers.0.auth.token SECRET_NOT_ALLOWED',
  ],
  [
    'the value of a secret',
    {
      products: [
        {
          name: 'P',
          surfaces: [
            {
              name: 'S',
              type: 'webhook',
              inbound: { signature: { scheme: 'github', secrets: ['plain-value'] } },
            },
          ],
        },
      ],
    },
    'products.0.surfaces.0.inbound.signature.secrets.0 SECRET_NOT_ALLOWED',
  ],
  [
    'a list of too many entries',
    { products: [{ name: 'P', surfaces: Array(1_001).fill({}) }] },
    'products.0.surfaces TOO_BIG',
  ],
  ['a part that is no list', { products: [{ name: 'P', surfaces: {} }] }, 'products.0.surfaces INVALID_TYPE'],
])('%s is refused', async (_name, document, error) => {
  expect(await refusalOf(await newTenant(), document)).toEqual([error]);
});

test.each([
  ['no YAML', 'flows: [', 'document', 'INVALID_FORMAT'],
  ['two documents of YAML', 'flows: []\n---\ntools: []', 'document', 'INVALID_FORMAT'],
  ['YAML of too many values', `flows: [${'0,'.repeat(100_000)}]`, 'document', 'INVALID_FORMAT'],
  ['a number of YAML that would be rounded', 'flows: [7615917337495251231]', 'document', 'INVALID_FORMAT'],
  ['a number of JSON that would be rounded', '{"flows":[7615917337495251231]}', 'document', 'INVALID_FORMAT'],
  ['an unknown tag', 'flows: !file x', 'document', 'INVALID_FORMAT'],
  ['a bomb of aliases', bomb(), 'document', 'INVALID_FORMAT'],
  ['a list', '- 1', 'document', 'INVALID_TYPE'],
  ['an unknown kind', { secrets: [] }, 'document.secrets', 'UNKNOWN_MEMBER'],
  ['a resource without a name', { flows: [{}] }, 'document.flows.0.name', 'MISSING_REQUIRED_FIELD'],
  ['what is nested too deeply', `flows: ${'['.repeat(200)}${']'.repeat(200)}`, 'document', 'TOO_DEEP'],
])('%s is no document', async (_name, document, path, code) => {
  const { call } = await newTenant();
  for (const action of ['plan', 'apply']) {
    const { status, body } = await call('POST', `/v1/workspace/${action}`, { body: { document } });
    expect([status, body.details]).toMatchObject([400, [{ path, code }]]);
  }
});

function bomb() {
  const lines = Array.from({ length: 9 }, (_each, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  return ['a0: &a0 [x]', ...lines].join('\n');
}

test('what refers to a deleted resource stays as it is, and is an error only if it changes', async () => {
  const tenant = await newTenant();
  const { id } = await succeeding(tenant, 'POST', '/v1/agents', { name: 'Gone' });
  const step = { type: 'execute-agent', name: 'A', config: { agentId: id, message: 'x' } };
  await succeeding(tenant, 'POST', '/v1/flows', { name: 'F', flowSteps: [step] });
  await succeeding(tenant, 'DELETE', `/v1/agents/${id}`);
  const document = await exportWorkspace(tenant);
  expect(document.flows[0].flowSteps[0].config.agentId).toBe('(deleted)');
  expect(await planIn(tenant, { document })).toMatchObject({ errors: [], changes: [{ action: 'none' }] });
  document.flows[0].description = 'Another';
  const { errors } = await planIn(tenant, { document });
  expect(errors).toMatchObject([{ path: 'flows.0.flowSteps.0.config.agentId', code: 'NOT_FOUND' }]);
});

test('409 for the hash of a plan that would do something else by now', async () => {
  const tenant = await newTenant();
  await succeeding(tenant, 'POST', '/v1/flows', flow('One'));
  const document = { flows: [flow('One', { variableName: 'b', value: 'y' })] };
  const { planHash } = await planIn(tenant, { document });
  const { data } = await succeeding(tenant, 'GET', '/v1/flows');
  await succeeding(tenant, 'PUT', `/v1/flows/${data[0].id}`, { description: 'Changed meanwhile' });
  const { status, body } = await tenant.call('POST', '/v1/workspace/apply', { body: { document, planHash } });
  expect([status, body.details]).toMatchObject([409, [{ path: 'planHash', code: 'CONFLICT' }]]);
  const again = await planIn(tenant, { document });
  await applyIn(tenant, { document, planHash: again.planHash });
});

test('a document has the kinds that its caller may read', async () => {
  const { tenant, call } = await tenantWithKey(['FLOWS:READ', 'BUDGETS:READ']);
  await succeeding(tenant, 'POST', '/v1/agents', { name: 'Hidden' });
  const { body } = await call('GET', '/v1/workspace');
  expect(Object.keys(body)).toEqual(['flows', 'budgets']);
  const { key } = await newKey(tenant, { permissions: ['RECORDS:READ'] });
  expect((await callerWith(key)('GET', '/v1/workspace')).status).toBe(403);
});

test('nobody learns names of what he may not read, or whether they exist', async () => {
  const { tenant, call } = await tenantWithKey(['BUDGETS:READ', 'BUDGETS:WRITE']);
  const { id } = await succeeding(tenant, 'POST', '/v1/flows', { name: 'Hidden' });
  const budget = { name: 'B', scope: { type: 'flow', id }, period: 'day', limit: '1', action: 'alert' };
  await succeeding(tenant, 'POST', '/v1/budgets', budget);
  const { body: document } = await call('GET', '/v1/workspace');
  expect(document.budgets).toMatchObject([{ name: 'B', scope: { id } }]);
  expect(JSON.stringify(document)).not.toContain('Hidden');
  const plan = (sent: object) => call('POST', '/v1/workspace/plan', { body: { document: sent } });
  expect((await plan(document)).body).toMatchObject({ changes: [{ action: 'none' }], errors: [] });
  const [known, unknown] = await Promise.all(
    ['Hidden', 'Nobody'].map((name) => plan({ budgets: [{ ...budget, scope: { type: 'flow', id: name } }] })),
  );
  expect([known?.status, known?.body]).toEqual([unknown?.status, unknown?.body]);
  expect([known?.status, known?.body.details]).toEqual([403, expect.stringContaining('FLOWS:READ')]);
  expect((await exportWorkspace(tenant)).budgets).toMatchObject([{ scope: { id: 'Hidden' } }]);
});

test('whether a secret has a value is told to those who may read secrets', async () => {
  const { tenant, call } = await tenantWithKey(['FLOWS:READ']);
  await succeeding(tenant, 'POST', '/v1/secrets', { key: 'KNOWN_KEY', value: 'a-value-of-it' });
  const notesOf = async (key: string) => {
    const config = { url: 'https://example.com', headers: { a: `{{secret:${key}}}` } };
    const { body } = await call('POST', '/v1/workspace/plan', {
      body: { document: { flows: [flow('F', config, 'api-call')] } },
    });
    return JSON.stringify(body.notes).replaceAll(key, 'KEY');
  };
  expect(await notesOf('KNOWN_KEY')).toBe(await notesOf('OTHER_KEY'));
});

test('403 names the permission that a kind of the document takes', async () => {
  const { tenant, call } = await tenantWithKey(['FLOWS:READ', 'FLOWS:WRITE', 'AGENTS:READ']);
  const send = (action: string, document: object) =>
    call('POST', `/v1/workspace/${action}`, { body: { document } });
  expect((await send('plan', { tools: [] })).body.details).toContain('TOOLS:READ');
  const both = { flows: [flow('One')], agents: [{ name: 'A' }] };
  expect((await send('plan', both)).status).toBe(200);
  const refused = await send('apply', both);
  expect([refused.status, refused.body.details]).toEqual([403, expect.stringContaining('AGENTS:WRITE')]);
  expect((await exportWorkspace(tenant)).flows).toEqual([]);
  expect((await send('apply', { flows: [flow('One')] })).status).toBe(200);
  await succeeding(tenant, 'POST', '/v1/agents', { name: 'A' });
  expect((await send('apply', both)).status).toBe(200);
});
