import { expect, test } from 'vitest';
import {
  applyIn,
  changeLines,
  exportWorkspace,
  fillWorkspace,
  planIn,
  succeeding,
} from '../../support/files/workspaces.ts';
import { newTenant } from '../../support/stack/stack.ts';

const flow = (name: string, value = 'x') => ({
  name,
  flowSteps: [{ type: 'set-variable', name: 'Set', config: { variableName: 'a', value } }],
});

test('what a document changes is changed, of each kind, and nothing else; the same again changes nothing', async () => {
  const tenant = await newTenant();
  await fillWorkspace(tenant);
  const document = await exportWorkspace(tenant);
  const [config] = document.modelConfigs;
  config.limits = { maxConcurrent: 3 };
  document.tools[0].isActive = false;
  document.flows[0].flowSteps[0].config.userPrompt = 'Another text';
  const guide = document.agents.find(({ name }: { name: string }) => name === 'Guide');
  guide.config.tools.toolIds = ['builtin:date-time'];
  delete guide.config.systemPrompt;
  guide.capabilities = [{ ...guide.capabilities[0], toolDescription: 'Helps' }];
  const [product] = document.products;
  delete product.spec;
  product.capabilities[0].enabled = false;
  const [api, mcp, clock] = product.surfaces;
  api.status = 'paused';
  delete api.items[0].config;
  mcp.items = [];
  clock.schedules[0].cron = '@daily';
  document.budgets[0].limit = '30.00';
  const plan = await planIn(tenant, { document });
  expect(plan.errors).toEqual([]);
  expect(plan.changes.filter(({ action }: { action: string }) => action === 'update')).toHaveLength(6);
  expect(plan.changes).toContainEqual({
    kind: 'modelConfigs',
    name: 'openai/gpt-5-mini',
    action: 'update',
    diff: [
      { path: 'limits.requestsPerMinute', before: 600, after: null },
      { path: 'limits.maxConcurrent', before: null, after: 3 },
    ],
  });
  await applyIn(tenant, { document, planHash: plan.planHash });
  const expected = structuredClone(document);
  delete expected.products[0].surfaces[1].items;
  expect(await exportWorkspace(tenant)).toEqual(expected);
  expect(changeLines(await planIn(tenant, { document }))).toEqual([]);
});

test('steps keep the ids that results name them by', async () => {
  const tenant = await newTenant();
  const { id, flowSteps } = await succeeding(tenant, 'POST', '/v1/flows', flow('One'));
  await applyIn(tenant, { document: { flows: [flow('One', 'y')] } });
  const after = await succeeding(tenant, 'GET', `/v1/flows/${id}`);
  expect(after.flowSteps[0]).toMatchObject({ id: flowSteps[0].id, config: { value: 'y' } });
});

test('of a name that occurs twice, the second by age is "name (2)"', async () => {
  const tenant = await newTenant();
  const first = await succeeding(tenant, 'POST', '/v1/flows', flow('Same', 'first'));
  const second = await succeeding(tenant, 'POST', '/v1/flows', flow('Same', 'second'));
  const document = await exportWorkspace(tenant);
  expect(document.flows).toEqual([flow('Same', 'first'), flow('Same (2)', 'second')]);
  document.flows[1] = flow('Same (2)', 'changed');
  await applyIn(tenant, { document });
  const read = (id: string) => succeeding(tenant, 'GET', `/v1/flows/${id}`);
  expect(await read(second.id)).toMatchObject({
    name: 'Same',
    flowSteps: [{ config: { value: 'changed' } }],
  });
  expect(await read(first.id)).toMatchObject({ flowSteps: [{ config: { value: 'first' } }] });
});

test('agents that call each other through tools and flows are applied in two passes', async () => {
  const tenant = await newTenant();
  const tool = (name: string, agentId: string) => ({
    name,
    toolType: 'subagent',
    description: 'Asks',
    parametersSchema: { type: 'object' },
    config: { agentId },
  });
  const document = {
    tools: [tool('Ask A', 'A'), tool('Ask B', 'B')],
    flows: [
      {
        name: 'F',
        flowSteps: [{ type: 'execute-agent', name: 'A', config: { agentId: 'A', message: 'x' } }],
      },
    ],
    agents: [
      { name: 'A', config: { tools: { toolIds: ['tool:Ask B'] } }, primaryFlowId: 'F' },
      { name: 'B', config: { tools: { toolIds: ['tool:Ask A'] } } },
    ],
  };
  await applyIn(tenant, { document });
  expect(changeLines(await planIn(tenant, { document }))).toEqual([]);
  expect(await exportWorkspace(tenant)).toMatchObject(document);
});

test('prune deletes what the document does not name, of the kinds that it has, users before what they use', async () => {
  const tenant = await newTenant();
  const document = {
    flows: [flow('Kept'), flow('Gone')],
    tools: [],
    products: [
      {
        name: 'Desk',
        capabilities: [
          { capabilityName: 'kept', flowId: 'Kept' },
          { capabilityName: 'gone', flowId: 'Gone' },
        ],
        surfaces: [
          { name: 'One', type: 'api', items: [{ capabilityId: 'kept' }, { capabilityId: 'gone' }] },
          { name: 'Two', type: 'api' },
        ],
      },
      { name: 'Another' },
    ],
    agents: [{ name: 'Untouched' }],
  };
  await applyIn(tenant, { document });
  const smaller = {
    flows: [flow('Kept')],
    products: [
      {
        name: 'Desk',
        capabilities: [{ capabilityName: 'kept', flowId: 'Kept' }],
        surfaces: [{ name: 'One', type: 'api', items: [{ capabilityId: 'kept' }] }],
      },
    ],
  };
  expect(changeLines(await planIn(tenant, { document: smaller }))).toEqual(['update products Desk']);
  const prune = { document: smaller, prune: true };
  expect(changeLines(await planIn(tenant, prune))).toEqual([
    'delete flows Gone',
    'update products Desk',
    'delete products Another',
  ]);
  await applyIn(tenant, prune);
  const { flows, products, agents } = await exportWorkspace(tenant);
  expect([flows, agents]).toEqual([smaller.flows, [{ name: 'Untouched' }]]);
  expect(products).toMatchObject([{ name: 'Desk', surfaces: [{ name: 'One', items: [{}] }] }]);
  expect(products[0].surfaces).toHaveLength(1);
  expect(changeLines(await planIn(tenant, prune))).toEqual([]);
});

test('publish publishes what changed, and drafts that were not published', async () => {
  const tenant = await newTenant();
  const document = { flows: [flow('One')], agents: [{ name: 'A' }] };
  await applyIn(tenant, { document });
  expect(changeLines(await planIn(tenant, { document, publish: true }))).toEqual([
    'publish flows One',
    'publish agents A',
  ]);
  await applyIn(tenant, { document, publish: true });
  expect(changeLines(await planIn(tenant, { document, publish: true }))).toEqual([]);
  const changed = { flows: [flow('One', 'y')] };
  await applyIn(tenant, { document: changed, publish: true });
  const { data } = await succeeding(tenant, 'GET', '/v1/flows');
  const published = await succeeding(tenant, 'GET', `/v1/flow-versions/${data[0].id}/published`);
  expect(JSON.stringify(published)).toContain('"value":"y"');
});

test('a pinned version has its number, and is an error where the flow has no such version', async () => {
  const tenant = await newTenant();
  const { id } = await succeeding(tenant, 'POST', '/v1/flows', flow('Inner'));
  const { publishedVersionId: version } = await succeeding(tenant, 'POST', `/v1/flows/${id}/publish`);
  const outer = {
    name: 'Outer',
    flowSteps: [{ type: 'flow', name: 'Run', config: { flowId: id, version } }],
  };
  await succeeding(tenant, 'POST', '/v1/flows', outer);
  const document = await exportWorkspace(tenant);
  expect(document.flows[1].flowSteps[0].config).toEqual({ flowId: 'Inner', version: '1' });
  expect(changeLines(await planIn(tenant, { document }))).toEqual([]);
  const { errors } = await planIn(await newTenant(), { document });
  expect(errors).toMatchObject([{ path: 'flows.1.flowSteps.0.config.version', code: 'NOT_FOUND' }]);
});

test('YAML comes back as the same document', async () => {
  const tenant = await newTenant();
  await fillWorkspace(tenant);
  const { status, headers, body } = await tenant.call('GET', '/v1/workspace', {
    headers: { accept: 'application/yaml' },
  });
  expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8']);
  expect(body).toContain('userPrompt: |-\n');
  expect(changeLines(await planIn(tenant, { document: body }))).toEqual([]);
});

test('a plan with diffs of more than 3 MB leaves some out, and says so', async () => {
  const tenant = await newTenant();
  const document = { flows: [flow('A', 'x'.repeat(90_000)), flow('B')] };
  const many = Array.from({ length: 40 }, (_each, at) => flow(`Long ${at}`, 'x'.repeat(90_000)));
  const { changes, notes } = await planIn(tenant, { document: { flows: [...document.flows, ...many] } });
  expect(changes[0].diff).not.toEqual([]);
  expect(changes.at(-1).diff).toEqual([]);
  expect(notes.at(-1)).toBe('The diff of flows "Long 39" is left out: diffs have at most 3 MB together');
});

test('of concurrent applies, of one plan and of others, one acts, and the others are a 409 that says so', async () => {
  const tenant = await newTenant();
  const document = { flows: Array.from({ length: 12 }, (_, n) => flow(`Flow ${n}`)) };
  const { planHash } = await planIn(tenant, { document });
  const other = { document: { flows: [flow('Another')] } };
  const bodies = [...Array.from({ length: 8 }, () => ({ document, planHash })), other, other];
  const answers = await Promise.all(
    bodies.map((body) => tenant.call('POST', '/v1/workspace/apply', { body })),
  );
  const refused = answers.filter(({ status }) => status === 409);
  expect(answers.filter(({ status }) => status === 200)).not.toEqual([]);
  for (const { body } of refused) {
    expect(JSON.stringify(body)).toMatch(
      /Another document is being applied|The workspace changed since the plan/,
    );
  }
  expect(refused.length).toBeGreaterThanOrEqual(7);
  const names = (await exportWorkspace(tenant)).flows.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name: string) => name.includes('(2)'))).toEqual([]);
  await applyIn(tenant, { document: { flows: [flow('Another')] } });
});

test('an apply that is refused gives the workspace back', async () => {
  const tenant = await newTenant();
  const wrong = { document: { flows: [flow('A'), flow('A')] } };
  expect((await tenant.call('POST', '/v1/workspace/apply', { body: wrong })).status).toBe(400);
  await applyIn(tenant, { document: { flows: [flow('A')] } });
});
