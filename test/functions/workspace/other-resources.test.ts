import { expect, test } from 'vitest';
import { exportWorkspace, planIn } from '../../support/files/workspaces.ts';
import { createConnection, newRealm } from '../../support/servers/oauth.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const flow = { name: 'F', flowSteps: [] };
const desk = (surface: object) => ({
  flows: [flow],
  products: [
    {
      name: 'Desk',
      capabilities: ['one', 'two'].map((capabilityName) => ({ capabilityName, flowId: 'F' })),
      surfaces: [{ name: 'S', type: 'api', ...surface }],
    },
  ],
});
const items = (...each: object[]) =>
  desk({ items: each.map((item, at) => ({ capabilityId: at === 0 ? 'one' : 'two', ...item })) });
const server = (auth: object) => ({
  name: 'A',
  config: { tools: { mcpServers: [{ id: 'm', url: 'https://m.example.com', auth }] } },
});
const inSurface = 'products.0.surfaces.0';

test.each([
  [
    'a slug that two items have',
    items({ endpointSlug: 'x' }, { endpointSlug: 'x' }),
    `${inSurface}.items.1.endpointSlug NAME_TAKEN`,
  ],
  [
    'two entry points',
    items({ isEntryPoint: true }, { isEntryPoint: true }),
    `${inSurface}.items.1.isEntryPoint NAME_TAKEN`,
  ],
  [
    'a channel without a connection',
    desk({ type: 'slack', status: 'active' }),
    `${inSurface}.status CHANNEL_NOT_CONNECTED`,
  ],
  [
    'schedules of a surface of another type',
    desk({ schedules: [{ flowId: 'F', triggerType: 'recurring', cron: '@daily' }] }),
    `${inSurface}.schedules INVALID_VALUE`,
  ],
  [
    'a time that is over',
    desk({
      type: 'schedule',
      schedules: [{ flowId: 'F', triggerType: 'one_time', runAt: '2020-01-01T00:00:00Z' }],
    }),
    `${inSurface}.schedules.0.runAt IN_THE_PAST`,
  ],
  [
    'a behavior that the type reads otherwise',
    desk({ type: 'mcp', behavior: { resources: { recordTypes: 'airport' } } }),
    `${inSurface}.behavior.resources.recordTypes INVALID_TYPE`,
  ],
  [
    'a model that the catalog does not list',
    { modelConfigs: [{ name: 'openai/no-such', provider: 'openai', modelId: 'no-such' }] },
    'modelConfigs.0.modelId INVALID_VALUE',
  ],
  [
    'a schema of a capability that is none',
    {
      flows: [flow],
      agents: [
        {
          name: 'A',
          capabilities: [{ toolName: 'run', flowId: 'F', parametersSchema: { minimum: 'x' } }],
        },
      ],
    },
    'agents.0.capabilities.0.parametersSchema.minimum INVALID_SCHEMA',
  ],
  [
    'more capabilities than an agent has',
    {
      flows: [flow],
      agents: [
        {
          name: 'A',
          capabilities: Array.from({ length: 65 }, (_each, at) => ({ toolName: `t${at}`, flowId: 'F' })),
        },
      ],
    },
    'agents.0.capabilities LIMIT_REACHED',
  ],
  [
    'more budgets than a tenant has',
    {
      budgets: Array.from({ length: 101 }, (_each, at) => ({
        name: `B${at}`,
        scope: { type: 'tenant' },
        period: 'month',
        limit: '1.00',
        action: 'block',
      })),
    },
    'budgets LIMIT_REACHED',
  ],
])('%s is an error before anything is written', async (_name, document, error) => {
  const tenant = await newTenant();
  const { errors } = await planIn(tenant, { document });
  expect(errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)).toEqual([error]);
  const applied = await tenant.call('POST', '/v1/workspace/apply', { body: { document } });
  expect([applied.status, applied.body.details]).toEqual([400, errors]);
  expect(Object.values<unknown[]>(await exportWorkspace(tenant)).flat()).toEqual([]);
});

test('a provider key of another provider, and a connection for another URL, are errors', async () => {
  const tenant = await newTenant();
  const key = { provider: 'anthropic', name: 'Main', apiKey: 'sk-ant-0123456789' };
  expect((await tenant.call('POST', '/v1/provider-keys', { body: key })).status).toBe(201);
  const { url } = await newRealm();
  await createConnection(tenant, { name: 'Other', url });
  const document = {
    modelConfigs: [
      {
        name: 'openai/gpt-5-mini',
        provider: 'openai',
        modelId: 'gpt-5-mini',
        providerKeyId: 'anthropic/Main',
      },
    ],
    agents: [server({ type: 'oauth', connectionId: 'Other' })],
  };
  const { errors } = await planIn(tenant, { document });
  expect(errors).toMatchObject([
    { path: 'modelConfigs.0.providerKeyId', code: 'INVALID_VALUE' },
    { path: 'agents.0.config.tools.mcpServers.0.auth.connectionId', code: 'INVALID_VALUE' },
  ]);
});

test('403 for schedules without the permission to run flows, before anything is written', async () => {
  const { tenant, call } = await tenantWithKey([
    'FLOWS:READ',
    'FLOWS:WRITE',
    'PRODUCTS:READ',
    'PRODUCTS:WRITE',
  ]);
  const schedules = [{ flowId: 'F', triggerType: 'recurring', cron: '@daily' }];
  const send = (document: object) => call('POST', '/v1/workspace/apply', { body: { document } });
  const refused = await send(desk({ type: 'schedule', schedules }));
  expect([refused.status, refused.body.details]).toEqual([403, expect.stringContaining('FLOWS:EXECUTE')]);
  expect((await exportWorkspace(tenant)).flows).toEqual([]);
  expect((await send(desk({}))).status).toBe(200);
});
