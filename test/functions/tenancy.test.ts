import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { createRecords, expectStatus, publishedFlow, runFlowOnRecords } from '../support/flows/flows.ts';
import { daily } from '../support/flows/schedules.ts';
import { oneOfEach } from '../support/stack/one-of-each.ts';
import { type Ids, pathParameters, taskPathIds } from '../support/stack/path-ids.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

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
  'flows.recompute': () => ({ version: 'published', recordType: 'thing' }),
  'runs.answer': () => ({ stepId: 'ask', choice: 'approve', recordId: 'record_00000000000000000000000000' }),
  'waits.reassign': () => ({ emails: ['taken-over@example.com'] }),
  'waits.answer': () => ({ choice: 'approve' }),
  'dispatch.retry': () => ({}),
  'alerts.update': () => ({ name: 'taken over' }),
  'budgets.update': () => ({ limit: '2' }),
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
  'run-feedback.create': () => ({ rating: 1 }),
};

/** Those of callers with a tenant; the paths of others name the tenant. Built-in tools belong to none. */
const withIds = (endpoints as readonly AnyEndpoint[]).filter(
  ({ id, path, permission }) =>
    path.includes('{') && permission !== 'public' && id !== 'tools.builtin-schema',
);

const missing: Ids = {
  flow: `flow_${'0'.repeat(26)}`,
  record: `record_${'0'.repeat(26)}`,
  batch: `batch_${'0'.repeat(26)}`,
  flowver: `flowver_${'0'.repeat(26)}`,
  key: `key_${'0'.repeat(26)}`,
  exec: `exec_${'0'.repeat(26)}`,
  secret: `secret_${'0'.repeat(26)}`,
  modelcfg: `modelcfg_${'0'.repeat(26)}`,
  budget: `budget_${'0'.repeat(26)}`,
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
  ...taskPathIds('0'),
  clienttoken: `clienttoken_${'0'.repeat(26)}`,
  conv: `conv_${'0'.repeat(26)}`,
  run: `batch_${'0'.repeat(26)}`,
  feedback: `feedback_${'0'.repeat(26)}`,
  import: `import_${'0'.repeat(26)}`,
  export: `export_${'0'.repeat(26)}`,
  alert: `alert_${'0'.repeat(26)}`,
  wait: `wait_${'0'.repeat(26)}`,
};

let owner: Tenant;
let stranger: Tenant;
let real: Ids;

beforeAll(async () => {
  [owner, stranger] = [await newTenant(), await newTenant()];
  real = await oneOfEach(owner);
  // So that a run by the stranger has something to run on.
  await createRecords(stranger, 'thing', 1);
});

const ask = ({ call }: Tenant, endpoint: AnyEndpoint, ids: Ids) => {
  const { id, method, path } = endpoint;
  const parameters = pathParameters(endpoint, ids);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? '');
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
  await expectStatus(200, runFlowOnRecords(stranger, flow.id, 'thing'));
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
