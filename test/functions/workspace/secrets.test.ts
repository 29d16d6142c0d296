import { expect, test } from 'vitest';
import { applyIn, changeLines, exportWorkspace, planIn, succeeding } from '../../support/files/workspaces.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const values = { token: 'token-value-1234', basic: 'user:password-1234', signing: 'signing-value-1234' };

async function withCredentials(tenant: Tenant) {
  await succeeding(tenant, 'POST', '/v1/secrets', { key: 'HOOK', value: 'stored-value-1234' });
  const key = await succeeding(tenant, 'POST', '/v1/provider-keys', {
    provider: 'openai',
    name: 'Team',
    apiKey: 'sk-provider-value-1234',
  });
  await succeeding(tenant, 'POST', '/v1/model-configs', {
    provider: 'openai',
    modelId: 'gpt-5-mini',
    providerKeyId: key.providerKey.id,
  });
  await succeeding(tenant, 'POST', '/v1/agents', {
    name: 'Tools',
    config: {
      tools: {
        mcpServers: [
          { id: 'docs', url: 'https://m.example.com', auth: { type: 'bearer', token: values.token } },
        ],
      },
    },
  });
  await succeeding(tenant, 'POST', '/v1/agents', {
    name: 'Remote',
    agentType: 'external',
    externalConfig: {
      endpoint: 'https://a.example.com/a2a',
      auth: { type: 'basic', credentials: values.basic },
    },
  });
  const product = await succeeding(tenant, 'POST', '/v1/products', { name: 'Desk' });
  const surface = await succeeding(tenant, 'POST', `/v1/products/${product.id}/surfaces`, {
    name: 'Hook',
    type: 'webhook',
    inbound: { signature: { scheme: 'github', secrets: [values.signing, '{{secret:HOOK}}'] } },
    outbound: { webhook: { url: 'https://hooks.example.com/x' } },
  });
  const budget = await succeeding(tenant, 'POST', '/v1/budgets', {
    name: 'All',
    scope: { type: 'tenant' },
    period: 'day',
    limit: '1',
    action: 'alert',
    notify: { webhookUrl: 'https://hooks.example.com/b' },
  });
  const shown = [product.testApiKey.key, surface.outbound.webhook.secret, budget.notify.secret];
  return {
    secrets: [...Object.values(values), 'stored-value-1234', 'sk-provider-value-1234', ...shown],
    surface: `/v1/products/${product.id}/surfaces/${surface.id}`,
  };
}

test('no export has a value of a secret, a key or a credential, or an id', async () => {
  const tenant = await newTenant();
  const { secrets } = await withCredentials(tenant);
  const text = JSON.stringify(await exportWorkspace(tenant));
  expect(secrets.filter((value) => typeof value !== 'string' || text.includes(value))).toEqual([]);
  expect(text).not.toMatch(/\b[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}\b/);
  expect(text).toContain('"providerKeyId":"openai/Team"');
});

test('credentials that are stored stay, whatever else of their resource a document changes', async () => {
  const tenant = await newTenant();
  const { surface } = await withCredentials(tenant);
  const document = await exportWorkspace(tenant);
  expect(changeLines(await planIn(tenant, { document }))).toEqual([]);
  const before = await succeeding(tenant, 'GET', surface);
  const [remote, tools] = document.agents;
  remote.externalConfig.timeoutMs = 5_000;
  tools.config.tools.mcpServers[0].name = 'Docs';
  document.products[0].surfaces[0].inbound.signature.toleranceSeconds = 60;
  await applyIn(tenant, { document });
  const after = await succeeding(tenant, 'GET', surface);
  expect(after.inbound.signature).toEqual({ ...before.inbound.signature, toleranceSeconds: 60 });
  expect(after.outbound).toEqual(before.outbound);
  const { data } = await succeeding(tenant, 'GET', '/v1/agents');
  for (const { id } of data) {
    const { config, externalConfig } = await succeeding(tenant, 'GET', `/v1/agents/${id}`);
    expect(externalConfig?.auth ?? config.tools.mcpServers[0].auth).toMatchObject({ configured: true });
  }
});

test('what a document cannot contain is a note in another tenant, and no error', async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  await withCredentials(one);
  const document = await exportWorkspace(one);
  delete document.modelConfigs;
  const { notes } = await applyIn(other, { document });
  expect(notes).toEqual([
    'agent "Remote": a document holds no credentials. Set those of its servers with PUT /v1/agents/{id}',
    'agent "Tools": a document holds no credentials. Set those of its servers with PUT /v1/agents/{id}',
    expect.stringContaining('surface "Hook": its outgoing webhook gets a new secret'),
    expect.stringContaining('surface "Hook": a secret of its signature is not stored here'),
    expect.stringContaining('budget "All": the key that signs'),
    'The secret HOOK has no value here. Store it with POST /v1/secrets',
  ]);
  expect(changeLines(await planIn(other, { document }))).toEqual([]);
});

test('secrets that an apply makes are in its response, once, and nowhere else', async () => {
  const [one, tenant] = [await newTenant(), await newTenant()];
  await withCredentials(one);
  const { products, budgets } = await exportWorkspace(one);
  const document = { products, budgets };
  const { notes, ...plan } = await planIn(tenant, { document });
  const headers = { 'idempotency-key': 'apply-1' };
  const send = () => tenant.call('POST', '/v1/workspace/apply', { headers, body: { document } });
  const { secrets } = (await send()).body;
  expect(secrets).toEqual([
    {
      kind: 'products',
      name: 'Desk',
      path: 'surfaces.Hook.outbound.webhook.secret',
      value: expect.stringMatching(/^whsec_.{20}/),
    },
    { kind: 'budgets', name: 'All', path: 'notify.secret', value: expect.stringMatching(/^whsec_.{20}/) },
  ]);
  const values = secrets.map(({ value }: { value: string }) => value);
  const repeated = await send();
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(repeated.body.secrets).toHaveLength(2);
  const later = [plan, repeated.body, await exportWorkspace(tenant), await planIn(tenant, { document })];
  expect(values.filter((value: string) => JSON.stringify(later).includes(value))).toEqual([]);
  document.budgets[0].limit = '2';
  document.products[0].surfaces[0].name = 'Hook 2';
  document.products[0].surfaces[0].outbound.webhook.secret = '{{secret:HOOK}}';
  expect((await applyIn(tenant, { document })).secrets).toEqual([]);
});

test('a webhook that moves to another origin gets a new secret, which the response shows', async () => {
  const tenant = await newTenant();
  await withCredentials(tenant);
  const { products } = await exportWorkspace(tenant);
  products[0].surfaces[0].outbound.webhook.url = 'https://elsewhere.example.com/x';
  const { secrets } = await applyIn(tenant, { document: { products } });
  expect(secrets).toMatchObject([{ name: 'Desk', path: 'surfaces.Hook.outbound.webhook.secret' }]);
});
