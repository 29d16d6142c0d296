import { expect, test } from 'vitest';
import { createAgent } from '../../support/agents/agents.ts';
import { createTool } from '../../support/files/tools.ts';
import { createFlow, expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const add = ({ call }: Pick<Tenant, 'call'>, agentId: string, body: object) =>
  call('POST', `/v1/agents/${agentId}/capabilities`, { body });
const clock = { toolName: 'clock', toolId: 'builtin:date-time' };

test('flows, agents and tools become capabilities in their order, and are removed one by one', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  const [flow, tool, other] = [await createFlow(tenant), await createTool(tenant), await createAgent(tenant)];
  const parametersSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const added = await expectStatus(
    201,
    add(tenant, id, { toolName: 'weather', toolDescription: 'd', flowId: flow.id, parametersSchema }),
  );
  expect(added).toEqual({
    id: expect.stringMatching(/^cap_/),
    agentId: id,
    toolName: 'weather',
    toolDescription: 'd',
    flowId: flow.id,
    subAgentId: null,
    toolId: null,
    parametersSchema,
    enabled: true,
    displayOrder: 0,
    createdAt: expect.any(String),
  });
  const more = [
    { toolName: 'Ask the other', subAgentId: other.id, enabled: false },
    { toolName: 'double', toolId: tool.id, flowId: null, parametersSchema: null },
    clock,
  ];
  for (const body of more) await expectStatus(201, add(tenant, id, body));
  const path = `/v1/agents/${id}`;
  const { capabilities } = await expectStatus(200, tenant.call('GET', path));
  expect(capabilities[0]).toEqual(added);
  expect(capabilities).toMatchObject([
    { displayOrder: 0 },
    { displayOrder: 1, subAgentId: other.id, enabled: false },
    { displayOrder: 2, toolId: tool.id, parametersSchema: null },
    { displayOrder: 3, toolId: 'builtin:date-time' },
  ]);
  const remove = () => tenant.call('DELETE', `${path}/capabilities/${capabilities[3].id}`, { body: {} });
  expect(await expectStatus(200, remove())).toEqual({ success: true });
  expect(await expectStatus(404, remove())).toEqual(notFoundBody('Capability'));
  expect((await expectStatus(201, add(tenant, id, clock))).displayOrder).toBe(3);
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/agents'));
  expect(data.find((row: { id: string }) => row.id === id).capabilityCount).toBe(4);
});

test('capabilities in the body of a new agent; a change of capabilities goes to the draft', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const { id, capabilities } = await createAgent(tenant, {
    capabilities: [clock, { toolName: 'flow', flowId: flow.id }],
  });
  expect(capabilities).toMatchObject([
    { ...clock, agentId: id, displayOrder: 0 },
    { flowId: flow.id, displayOrder: 1 },
  ]);
  await expectStatus(200, tenant.call('POST', `/v1/agents/${id}/publish`));
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${id}/capabilities/${capabilities[0].id}`));
  const published = await expectStatus(200, tenant.call('GET', `/v1/agent-versions/${id}/published`));
  expect(published.agentConfig.capabilities).toHaveLength(2);
  const { draftVersionId } = await expectStatus(200, tenant.call('GET', `/v1/agent-versions/${id}`));
  const draft = await expectStatus(200, tenant.call('GET', `/v1/agent-versions/${id}/${draftVersionId}`));
  expect(draft.agentConfig.capabilities).toMatchObject([{ flowId: flow.id }]);
});

const unknown = (kind: string) => `${kind}_${'0'.repeat(26)}`;

test.each([
  ['Flow', { flowId: unknown('flow') }],
  ['Agent', { subAgentId: unknown('agent') }],
  ['Tool', { toolId: unknown('tool') }],
  ['Tool', { toolId: 'builtin:magic' }],
])('404 for an unknown target, and for another tenant’s: %s %j', async (what, target) => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  const capability = { toolName: 'x', ...target };
  expect(await expectStatus(404, add(tenant, id, capability))).toEqual(notFoundBody(what));
  const body = { name: 'x', capabilities: [capability] };
  expect(await expectStatus(404, tenant.call('POST', '/v1/agents', { body }))).toEqual(notFoundBody(what));
});

test('404 for a target of another tenant', async () => {
  const [tenant, stranger] = [await newTenant(), await newTenant()];
  const { id } = await createAgent(tenant);
  const foreign = [
    { flowId: (await createFlow(stranger)).id },
    { subAgentId: (await createAgent(stranger)).id },
    { toolId: (await createTool(stranger)).id },
  ];
  for (const target of foreign) await expectStatus(404, add(tenant, id, { toolName: 'x', ...target }));
});

test.each<[string, object, string, string]>([
  ['no target', { toolName: 'x' }, 'flowId', 'MISSING_REQUIRED_FIELD'],
  ['two targets', { ...clock, flowId: unknown('flow') }, 'toolId', 'SEVERAL_TARGETS'],
  ['a malformed target', { toolName: 'x', toolId: 'clock' }, 'toolId', 'INVALID_FORMAT'],
  ['no tool name', { toolId: 'builtin:date-time' }, 'toolName', 'MISSING_REQUIRED_FIELD'],
  ['an empty tool name', { ...clock, toolName: '' }, 'toolName', 'TOO_SMALL'],
  ['a tool name that no provider accepts', { ...clock, toolName: '天気' }, 'toolName', 'INVALID_FORMAT'],
  ['a long tool name', { ...clock, toolName: 'x'.repeat(101) }, 'toolName', 'TOO_BIG'],
  ['an unknown member', { ...clock, more: 1 }, 'more', 'UNKNOWN_MEMBER'],
  ['a schema that is no object', { ...clock, parametersSchema: true }, 'parametersSchema', 'INVALID_TYPE'],
  [
    'a schema that is not valid',
    { ...clock, parametersSchema: { properties: { n: { type: 'text' } } } },
    'parametersSchema.properties.n.type',
    'INVALID_SCHEMA',
  ],
  [
    'a schema of another type',
    { ...clock, parametersSchema: { type: 'array' } },
    'parametersSchema.type',
    'INVALID_SCHEMA',
  ],
])('400 with the path for %s, also in a new agent', async (_what, capability, path, code) => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  const { details } = await expectStatus(400, add(tenant, id, capability));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  const body = { name: 'x', capabilities: [capability] };
  const inBody = await expectStatus(400, tenant.call('POST', '/v1/agents', { body }));
  expect(inBody.details).toContainEqual(expect.objectContaining({ path: `capabilities.0.${path}`, code }));
});

test('409 for a taken tool name; a body with one twice is a 400', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant, { capabilities: [clock] });
  const { details } = await expectStatus(409, add(tenant, id, { ...clock, toolId: 'builtin:calculator' }));
  expect(details).toMatchObject([{ path: 'toolName', code: 'NAME_TAKEN' }]);
  const answer = await expectStatus(
    400,
    tenant.call('POST', '/v1/agents', { body: { name: 'x', capabilities: [clock, clock] } }),
  );
  expect(answer.details).toMatchObject([{ path: 'capabilities.1.toolName', code: 'DUPLICATE_KEY' }]);
});

test('of concurrent requests with one tool name, one succeeds', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  const answers = await Promise.all(Array.from({ length: 4 }, () => add(tenant, id, clock)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
});

test('400 for an agent that would call itself, directly or through others', async () => {
  const tenant = await newTenant();
  const [one, two, three] = [await createAgent(tenant), await createAgent(tenant), await createAgent(tenant)];
  const link = (from: { id: string }, to: { id: string }) =>
    add(tenant, from.id, { toolName: `to_${to.id}`, subAgentId: to.id });
  await expectStatus(201, link(one, two));
  await expectStatus(201, link(two, three));
  for (const [from, to] of [
    [one, one],
    [two, one],
    [three, one],
  ] as const) {
    const { details } = await expectStatus(400, link(from, to));
    expect(details).toMatchObject([{ path: 'subAgentId', code: 'INVALID_VALUE' }]);
  }
  // Two ways to one agent are no cycle.
  await expectStatus(201, link(one, three));
});

test('however additions of sub-agents interleave, no cycle is stored', async () => {
  const tenant = await newTenant();
  const ring = async (length: number) => {
    const agents = await Promise.all(Array.from({ length }, () => createAgent(tenant)));
    const answers = await Promise.all(
      agents.map(({ id }, n) =>
        add(tenant, id, { toolName: 'next', subAgentId: agents[(n + 1) % length]?.id as string }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => ({ status, ...body.details[0] }))).toMatchObject([
      { status: 400, path: 'subAgentId', code: 'INVALID_VALUE' },
    ]);
  };
  for (const length of [2, 2, 2, 3, 5]) await ring(length);
});

test('400 for the 65th capability', async () => {
  const tenant = await newTenant();
  const capabilities = Array.from({ length: 64 }, (_, n) => ({ ...clock, toolName: `clock ${n}` }));
  const { id } = await createAgent(tenant, { capabilities });
  const { details } = await expectStatus(400, add(tenant, id, clock));
  expect(details).toMatchObject([{ code: 'LIMIT_REACHED' }]);
  const body = { name: 'x', capabilities: [...capabilities, clock] };
  const answer = await expectStatus(400, tenant.call('POST', '/v1/agents', { body }));
  expect(answer.details).toMatchObject([{ path: 'capabilities', code: 'TOO_BIG' }]);
});

test('404 for a capability of an agent that does not exist', async () => {
  const tenant = await newTenant();
  expect(await expectStatus(404, add(tenant, unknown('agent'), clock))).toEqual(notFoundBody('Agent'));
  const path = `/v1/agents/${unknown('agent')}/capabilities/${unknown('cap')}`;
  expect(await expectStatus(404, tenant.call('DELETE', path))).toEqual(notFoundBody('Agent'));
});
