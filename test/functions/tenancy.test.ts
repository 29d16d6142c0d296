import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { answered, calls, agentOf as newAgent, run, scripted } from '../support/agent-runs.ts';
import { createToken } from '../support/client-tokens.ts';
import { createConversation, messagesOf, replaceMessages } from '../support/conversations.ts';
import { storedDelivery } from '../support/deliveries.ts';
import { createRecords, expectStatus, publishedFlow, runFlow, template } from '../support/flows.ts';
import { newKey } from '../support/keys.ts';
import { createConnection, newRealm } from '../support/oauth.ts';
import { addItem, createSurface, greetingProduct } from '../support/products.ts';
import { createSchedule, daily, scheduleSurface } from '../support/schedules.ts';
import { countingRuntime, newTenant, type Tenant } from '../support/stack.ts';
import { createTool } from '../support/tools.ts';

type Ids = Record<
  | 'a2atask'
  | 'a2acancel'
  | 'a2aoperation'
  | 'a2apush'
  | 'flow'
  | 'record'
  | 'batch'
  | 'flowver'
  | 'key'
  | 'exec'
  | 'secret'
  | 'modelcfg'
  | 'providerkey'
  | 'mcpconn'
  | 'tool'
  | 'agent'
  | 'agentver'
  | 'cap'
  | 'agentexec'
  | 'call'
  | 'appr'
  | 'product'
  | 'productcap'
  | 'surface'
  | 'item'
  | 'surfkey'
  | 'delivery'
  | 'schedule'
  | 'clock'
  | 'clockproduct'
  | 'slug'
  | 'clienttoken'
  | 'conv',
  string
>;

/** Which kind of thing a parameter of a path names. */
const kinds: Record<string, keyof Ids> = {
  flowId: 'flow',
  agentId: 'agent',
  'flow-versions.versionId': 'flowver',
  'agent-versions.versionId': 'agentver',
  'agents.id': 'agent',
  'agent-runs.id': 'agent',
  'agent-executions.id': 'agent',
  'products.id': 'product',
  'surfaces.id': 'product',
  'surface-keys.id': 'product',
  'schedules.id': 'clockproduct',
  'schedules.surfaceId': 'clock',
  'schedules.runs.id': 'schedule',
  scheduleId: 'schedule',
  'surface-runs.id': 'product',
  'surface-mcp.id': 'product',
  'surface-a2a.id': 'product',
  operation: 'a2aoperation',
  'surface-a2a.get-task.taskId': 'a2atask',
  'surface-a2a.change-task.taskId': 'a2acancel',
  'surface-a2a.add-push-config.taskId': 'a2atask',
  'surface-a2a.list-push-configs.taskId': 'a2atask',
  'surface-a2a.get-push-config.taskId': 'a2atask',
  'surface-a2a.delete-push-config.taskId': 'a2atask',
  configId: 'a2apush',
  endpointSlug: 'slug',
  'agents.capabilityId': 'cap',
  'products.capabilityId': 'productcap',
  surfaceId: 'surface',
  itemId: 'item',
  keyId: 'surfkey',
  deliveryId: 'delivery',
  executionId: 'agentexec',
  toolCallId: 'call',
  'client-tokens.id': 'clienttoken',
  'conversations.id': 'conv',
  'flows.id': 'flow',
  'records.id': 'record',
  'batches.id': 'batch',
  'api-keys.id': 'key',
  'secrets.id': 'secret',
  'model-configs.id': 'modelcfg',
  'provider-keys.id': 'providerkey',
  'mcp-connections.id': 'mcpconn',
  'tools.id': 'tool',
  'tool-runs.id': 'tool',
};

/** A body that the endpoint accepts, where it needs one. */
const bodies: Record<string, (ids: Ids) => object> = {
  'flows.update': () => ({ name: 'taken over' }),
  'flows.run-on-record-type': () => ({ recordType: 'thing' }),
  'flow-versions.publish': ({ flowver }) => ({ versionId: flowver }),
  'records.update': () => ({ name: 'taken over' }),
  'records.delete-result': ({ exec }) => ({ resultId: exec }),
  'api-keys.update': () => ({ name: 'taken over' }),
  'model-configs.update': () => ({ settings: { temperature: 0 } }),
  'model-configs.set-status': () => ({ isEnabled: false }),
  'provider-keys.update': () => ({ name: 'taken over', apiKey: 'taken-over' }),
  'tools.update': () => ({ name: 'taken over' }),
  'agents.update': () => ({ name: 'taken over' }),
  'agents.add-capability': () => ({ toolName: 'taken_over', toolId: 'builtin:date-time' }),
  'agent-runs.execute': () => ({ messages: [{ role: 'user', content: 'taken over' }] }),
  'agent-runs.resume': ({ agentexec, call }) => ({ executionId: agentexec, toolOutputs: { [call]: 1 } }),
  'agent-runs.approve': ({ agentexec, appr }) => ({
    executionId: agentexec,
    approvalId: appr,
    decision: 'approved',
  }),
  'products.update': () => ({ name: 'taken over' }),
  'products.add-capability': ({ flow }) => ({ capabilityName: 'taken over', flowId: flow }),
  'products.update-capability': () => ({ capabilityName: 'taken over' }),
  'schedules.create': ({ flow }) => daily(flow),
  'schedules.update': () => ({ enabled: false }),
  'surfaces.create': () => ({ name: 'taken over', type: 'api' }),
  'surfaces.update': () => ({ name: 'taken over' }),
  'surfaces.add-item': ({ productcap }) => ({ capabilityId: productcap }),
  'surface-runs.run': () => ({ person: 'taken over' }),
  'surface-a2a.call-rpc': () => ({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }),
  'surface-a2a.send-message': () => ({ message: {} }),
  'surface-a2a.add-push-config': () => ({ url: 'https://example.com/told' }),
  'surfaces.update-item': () => ({ exposedName: 'taken over' }),
  'client-tokens.update': () => ({ name: 'taken over' }),
  'conversations.update': () => ({ title: 'taken over', messages: [] }),
  'agent-versions.publish': ({ agentver }) => ({ versionId: agentver }),
  'tool-runs.execute': () => ({ parameters: {} }),
  'tool-runs.test': () => ({}),
  'secrets.update': () => ({ value: 'taken over', expectedVersion: 1 }),
  'mcp-connections.authorize': () => ({}),
};

/** Those of callers with a tenant; the paths of others name the tenant. Built-in tools belong to none. */
const withIds = (endpoints as readonly AnyEndpoint[]).filter(
  ({ id, path, permission }) =>
    path.includes('{') && permission !== 'public' && id !== 'tools.builtin-schema',
);
/** What names a task of an a2a surface. */
const tasksOf = (digit: string) => {
  const a2atask = `task_${digit.repeat(26)}`;
  return { a2atask, a2acancel: `${a2atask}:cancel`, a2aoperation: 'message:send', a2apush: 'one' };
};

const missing: Ids = {
  flow: `flow_${'0'.repeat(26)}`,
  record: `record_${'0'.repeat(26)}`,
  batch: `batch_${'0'.repeat(26)}`,
  flowver: `flowver_${'0'.repeat(26)}`,
  key: `key_${'0'.repeat(26)}`,
  exec: `exec_${'0'.repeat(26)}`,
  secret: `secret_${'0'.repeat(26)}`,
  modelcfg: `modelcfg_${'0'.repeat(26)}`,
  providerkey: `providerkey_${'0'.repeat(26)}`,
  mcpconn: `mcpconn_${'0'.repeat(26)}`,
  tool: `tool_${'0'.repeat(26)}`,
  agent: `agent_${'0'.repeat(26)}`,
  agentver: `agentver_${'0'.repeat(26)}`,
  cap: `cap_${'0'.repeat(26)}`,
  agentexec: `exec_${'0'.repeat(26)}`,
  call: `call_${'0'.repeat(26)}`,
  appr: `appr_${'0'.repeat(26)}`,
  product: `product_${'0'.repeat(26)}`,
  productcap: `cap_${'0'.repeat(26)}`,
  surface: `surface_${'0'.repeat(26)}`,
  item: `item_${'0'.repeat(26)}`,
  surfkey: `surfkey_${'0'.repeat(26)}`,
  delivery: `delivery_${'0'.repeat(26)}`,
  schedule: `schedule_${'0'.repeat(26)}`,
  clock: `surface_${'0'.repeat(26)}`,
  clockproduct: `product_${'0'.repeat(26)}`,
  slug: 'greet',
  ...tasksOf('0'),
  clienttoken: `clienttoken_${'0'.repeat(26)}`,
  conv: `conv_${'0'.repeat(26)}`,
};

let owner: Tenant;
let stranger: Tenant;
let real: Ids;

beforeAll(async () => {
  [owner, stranger] = [await newTenant(), await newTenant()];
  const flow = await publishedFlow(owner, [template('x')]);
  const [record] = await createRecords(owner, 'thing', 1);
  const { batchId } = await expectStatus(200, runFlow(owner, flow.id, 'thing'));
  const { publishedVersionId } = await expectStatus(200, owner.call('GET', `/v1/flow-versions/${flow.id}`));
  const { data } = await expectStatus(200, owner.call('GET', `/v1/flows/${flow.id}/step-results`));
  const secret = { key: 'OWN_KEY', value: 'the own value' };
  const { data: created } = await expectStatus(201, owner.call('POST', '/v1/secrets', { body: secret }));
  real = {
    flow: flow.id,
    record: record?.id ?? '',
    batch: batchId,
    flowver: publishedVersionId,
    key: (await newKey(owner, { environment: 'test' })).id,
    exec: data[0].executionSessionId,
    secret: created.id,
    ...(await modelsOf(owner)),
    mcpconn: (await createConnection(owner, { url: (await newRealm()).url })).id,
    tool: (await createTool(owner)).id,
    ...(await agentOf(owner)),
    ...(await productOf(owner)),
    ...(await clockOf(owner)),
    ...(await chatOf(owner)),
  };
  // So that a run by the stranger has something to run on.
  await createRecords(stranger, 'thing', 1);
});

async function modelsOf({ call }: Tenant) {
  const model = { provider: 'openai', modelId: 'gpt-5-mini' };
  const key = { provider: 'openai', name: 'own', apiKey: 'the-own-key-of-openai' };
  const modelcfg: string = (await expectStatus(201, call('POST', '/v1/model-configs', { body: model }))).id;
  const { providerKey } = await expectStatus(201, call('POST', '/v1/provider-keys', { body: key }));
  return { modelcfg, providerkey: providerKey.id as string };
}

/** A product with a surface that has an item, a test key and a delivery. */
async function productOf(tenant: Tenant) {
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${product.id}/surfaces/${surface.id}/keys`;
  const key = await expectStatus(201, tenant.call('POST', path, { body: {} }));
  const place = { productId: product.id, surfaceId: surface.id };
  return {
    product: product.id as string,
    productcap: capability.id as string,
    surface: surface.id as string,
    item: item.id as string,
    surfkey: key.id as string,
    slug: item.endpointSlug as string,
    ...tasksOf('1'),
    delivery: (await storedDelivery(countingRuntime().scopeOf(tenant.tenant), place)).key.id,
  };
}

/** A surface of the type schedule with a schedule, of a product of its own. */
async function clockOf(tenant: Tenant) {
  const { surface, path, flowId, product } = await scheduleSurface(tenant);
  const schedule = await createSchedule(tenant, path, daily(flowId));
  return { clock: surface.id as string, schedule: schedule.id as string, clockproduct: product.id as string };
}

/** A client token, and a conversation with a message. */
async function chatOf(tenant: Tenant) {
  const { clientToken } = await createToken(tenant);
  const { id: conv } = await createConversation(tenant, { title: 'A conversation' });
  await replaceMessages(tenant, conv, messagesOf(1));
  return { clienttoken: clientToken.id as string, conv: conv as string };
}

/** A published agent, with a run that waits for an approval. */
async function agentOf(tenant: Tenant) {
  const { call } = tenant;
  const { id, capabilities } = await newAgent(
    tenant,
    { tools: { toolIds: ['builtin:calculator'], approval: { require: true } } },
    { capabilities: [{ toolName: 'clock', toolId: 'builtin:date-time' }] },
  );
  const published = await expectStatus(200, call('POST', `/v1/agents/${id}/publish`));
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'done' });
  const { executionId, awaits } = (await answered(run(tenant, id, script))).pausedReason;
  return {
    agent: id as string,
    agentver: published.publishedVersionId as string,
    cap: capabilities[0].id as string,
    agentexec: executionId as string,
    call: awaits[0].toolCallId as string,
    appr: awaits[0].approvalId as string,
  };
}

const ask = ({ call }: Tenant, { id, method, path }: AnyEndpoint, ids: Ids) => {
  const [group] = id.split('.');
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const kind = kinds[`${id}.${name}`] ?? kinds[`${group}.${name}`] ?? kinds[name];
    if (!kind) throw new Error(`${id}: add what its parameter ${name} names to \`kinds\` in this file`);
    return ids[kind];
  });
  return call(method, filled, { body: bodies[id]?.(ids) });
};

test.each(withIds.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s: another tenant’s ids return exactly the response of ids that never existed',
  async (_id, endpoint) => {
    const foreign = await ask(stranger, endpoint, real);
    const unknown = await ask(stranger, endpoint, missing);
    const hint = `${endpoint.id}: if it requires a body, add one to \`bodies\` in this file. ${JSON.stringify(unknown.body)}`;
    expect(unknown.status, hint).toBe(404);
    expect({ status: foreign.status, body: foreign.body }).toEqual({
      status: unknown.status,
      body: unknown.body,
    });
  },
);

test('a version of another tenant’s flow is also unknown, together with the caller’s own flow', async () => {
  const own = { ...real, flow: (await publishedFlow(stranger)).id };
  const neverThere = { ...own, flowver: missing.flowver };
  const ofVersions = withIds.filter(({ id }) => ['flow-versions.get', 'flow-versions.publish'].includes(id));
  expect(ofVersions).toHaveLength(2);
  for (const endpoint of ofVersions) {
    const foreign = await ask(stranger, endpoint, own);
    expect(foreign).toMatchObject({ status: 404, body: (await ask(stranger, endpoint, neverThere)).body });
  }
});

test('another tenant’s ids as filters match nothing', async () => {
  const flow = await publishedFlow(stranger);
  await expectStatus(200, runFlow(stranger, flow.id, 'thing'));
  const filtered = async (query: string) =>
    (await expectStatus(200, stranger.call('GET', `/v1/flows/${flow.id}/step-results?${query}`))).data;
  expect(await filtered('')).toHaveLength(1);
  for (const query of [`recordId=${real.record}`, `batchId=${real.batch}`])
    expect(await filtered(query)).toEqual([]);
});

const pathOfSurface = () => `/v1/products/${real.product}/surfaces/${real.surface}`;

test('after all these requests the owner’s data is unchanged', async () => {
  await Promise.all(withIds.map((endpoint) => ask(stranger, endpoint, real)));
  for (const [path, member, value] of [
    [`/v1/flows/${real.flow}`, 'name', 'A flow'],
    [`/v1/records/${real.record}`, 'name', 'thing-0'],
    [`/v1/batch/status/${real.batch}`, 'status', 'completed'],
    [`/v1/flow-versions/${real.flow}`, 'publishedVersionId', real.flowver],
    [`/v1/secrets/${real.secret}`, 'data', expect.objectContaining({ status: 'active', version: 1 })],
    ['/v1/model-configs', 'data', [expect.objectContaining({ isEnabled: true, settings: {} })]],
    ['/v1/provider-keys', 'providerKeys', [expect.objectContaining({ name: 'own', keyPreview: 'enai' })]],
    [`/v1/mcp-connections/${real.mcpconn}`, 'data', expect.objectContaining({ status: 'pending' })],
    [`/v1/agents/${real.agent}`, 'name', 'Agent'],
    [`/v1/agents/${real.agent}`, 'capabilities', [expect.objectContaining({ id: real.cap })]],
    [`/v1/agents/${real.agent}/executions/${real.agentexec}`, 'status', 'paused'],
    [`/v1/agents/${real.agent}/executions`, 'data', [expect.objectContaining({ id: real.agentexec })]],
    [`/v1/agent-versions/${real.agent}`, 'publishedVersionId', real.agentver],
    [`/v1/products/${real.product}`, 'name', 'A product'],
    [`/v1/products/${real.product}`, 'capabilities', [expect.objectContaining({ capabilityName: 'Greet' })]],
    [`${pathOfSurface()}`, 'name', 'A surface'],
    [`${pathOfSurface()}`, 'items', [expect.objectContaining({ exposedName: null })]],
    [`${pathOfSurface()}/deliveries`, 'data', [expect.objectContaining({ id: real.delivery })]],
    [`${pathOfSurface()}/keys/${real.surfkey}/reveal`, 'key', expect.stringMatching(/^tv_surface_test_/)],
    [`/v1/client-tokens/${real.clienttoken}`, 'clientToken', expect.objectContaining({ name: 'Shop' })],
    [`/v1/conversations/${real.conv}`, 'title', 'A conversation'],
    [`/v1/conversations/${real.conv}`, 'messageCount', 1],
    [`/v1/api-keys/${real.key}/reveal`, 'key', expect.stringMatching(/^tv_test_/)],
  ] as const) {
    expect((await expectStatus(200, owner.call('GET', path)))[member]).toEqual(value);
  }
});
