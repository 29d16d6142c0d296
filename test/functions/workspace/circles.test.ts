import { expect, test } from 'vitest';
import { applyIn, changeLines, exportWorkspace, planIn, succeeding } from '../../support/files/workspaces.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const flow = (name: string, ...runs: string[]) => ({
  name,
  flowSteps: runs.map((flowId) => ({ type: 'flow', name: `Run ${flowId}`, config: { flowId } })),
});
const agent = (name: string, ...calls: string[]) => ({
  name,
  capabilities: calls.map((subAgentId) => ({ toolName: `ask-${subAgentId}`, subAgentId })),
});

/** What a plan and an apply refuse alike, without a change. */
async function refusalsOf(tenant: Tenant, body: { document: object; prune?: boolean }) {
  const before = await exportWorkspace(tenant);
  const { errors } = await planIn(tenant, body);
  const applied = await tenant.call('POST', '/v1/workspace/apply', { body });
  expect([applied.status, applied.body.details]).toEqual([400, errors]);
  expect(await exportWorkspace(tenant)).toEqual(before);
  return errors;
}

const itself = {
  path: 'flows.0.flowSteps.0.config.flowId',
  code: 'INVALID_VALUE',
  message: 'The flow would run itself. Choose another flow',
};

test('flows that would run each other are errors, with the place and words of their endpoint', async () => {
  const document = { flows: [flow('A', 'B'), flow('B', 'C'), flow('C', 'A'), flow('D', 'A')] };
  const errors = await refusalsOf(await newTenant(), { document });
  expect(errors[0]).toEqual(itself);
  expect(errors.map(({ path }: { path: string }) => path)).toContain('flows.2.flowSteps.0.config.flowId');
  const alone = await refusalsOf(await newTenant(), { document: { flows: [flow('A', 'A')] } });
  expect(alone).toEqual([itself]);
});

test('a circle through a flow that exists, and that the document does not have, is an error', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { flows: [flow('A'), flow('B', 'A')] } });
  const document = { flows: [flow('A', 'B')] };
  expect(await refusalsOf(tenant, { document })).toEqual([itself]);
  expect(await refusalsOf(tenant, { document, prune: true })).toMatchObject([{ code: 'NOT_FOUND' }]);
});

test('a published version counts, as at the endpoint', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { flows: [flow('A', 'B'), flow('B')] }, publish: true });
  const document = { flows: [flow('B', 'A'), flow('A')] };
  expect(await refusalsOf(tenant, { document })).toEqual([itself]);
  const [b] = (await succeeding(tenant, 'GET', '/v1/flows?search=B')).data;
  const [a] = (await succeeding(tenant, 'GET', '/v1/flows?search=A')).data;
  await succeeding(tenant, 'PUT', `/v1/flows/${a.id}`, { flowSteps: [] });
  const { flowSteps } = flow('B', a.id);
  const { status, body } = await tenant.call('PUT', `/v1/flows/${b.id}`, { body: { flowSteps } });
  expect([status, body.details]).toMatchObject([400, [{ message: itself.message }]]);
});

test('flows of too many levels are an error', async () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
  const chain = names.map((name, at) => flow(name, ...names.slice(at + 1, at + 2)));
  const errors = await refusalsOf(await newTenant(), { document: { flows: chain } });
  expect(errors).toMatchObject([{ path: itself.path, code: 'TOO_DEEP' }]);
  await applyIn(await newTenant(), { document: { flows: chain.slice(1) } });
});

test('flows that change places are written in an order that works', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { flows: [flow('A', 'B'), flow('B', 'C'), flow('C')] } });
  const document = { flows: [flow('C', 'B'), flow('B', 'A'), flow('A')] };
  await applyIn(tenant, { document });
  expect(changeLines(await planIn(tenant, { document }))).toEqual([]);
});

const asksItself = 'The agent would call itself, directly or through other agents. Choose another sub-agent';

test('sub-agents that would call each other are errors, also through an agent that exists', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { agents: [agent('A'), agent('B', 'A')] } });
  const path = 'agents.0.capabilities.0.subAgentId';
  const document = { agents: [agent('A', 'C'), agent('C', 'B')] };
  const errors = await refusalsOf(tenant, { document });
  expect(errors).toEqual([
    { path, code: 'INVALID_VALUE', message: asksItself },
    { path: 'agents.1.capabilities.0.subAgentId', code: 'INVALID_VALUE', message: asksItself },
  ]);
  const alone = await refusalsOf(await newTenant(), { document: { agents: [agent('A', 'A')] } });
  expect(alone).toMatchObject([{ path }]);
});

test('agents that change places are written in an order that works', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { agents: [agent('A', 'B'), agent('B')] } });
  const document = { agents: [agent('B', 'A'), { ...agent('A'), description: 'Last', capabilities: [] }] };
  await applyIn(tenant, { document });
  expect(changeLines(await planIn(tenant, { document }))).toEqual([]);
});
