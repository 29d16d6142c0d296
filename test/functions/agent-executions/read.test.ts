import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const get = (tenant: Tenant, path: string) => tenant.call('GET', `/v1/agents/${path}`);
const read = (tenant: Tenant, path: string) => expectStatus(200, get(tenant, path));

test('an execution, its turns and its tool calls', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: ['builtin:calculator'] } });
  const script = scripted(calls(['calculator', { expression: '6 * 7' }], ['no_tool']), { text: 'done' });
  const { executionId } = await answered(run(tenant, agent.id, script));
  const path = `${agent.id}/executions/${executionId}`;
  const details = await read(tenant, path);
  expect(details).toMatchObject({
    id: executionId,
    executionId,
    agentId: agent.id,
    agentName: agent.name,
    agentSource: 'native',
    surfaceType: 'api',
    status: 'completed',
    stopReason: 'end_turn',
    iterations: 2,
    finalOutput: 'done',
    error: null,
    inputMessages: [{ role: 'user', content: script }],
    parentExecutionId: null,
    iterationDetails: [
      { iteration: 1, toolCalls: [{ toolName: 'calculator' }, { toolName: 'no_tool' }] },
      {},
    ],
  });
  const { toolCalls } = await read(tenant, `${path}/tool-calls`);
  expect(toolCalls).toMatchObject([
    { toolName: 'calculator', status: 'completed', errorMessage: null, iteration: 1 },
    { toolName: 'no_tool', status: 'failed', errorMessage: expect.stringContaining('There is no tool') },
  ]);
  expect(await read(tenant, `${path}/tool-calls/${toolCalls[0].id}`)).toMatchObject({
    toolId: 'builtin:calculator',
    toolName: 'calculator',
    status: 'completed',
    approval: null,
    inputParameters: { expression: '6 * 7' },
    outputResult: { number: 42 },
  });
  expect((await get(tenant, `${path}/tool-calls/${newId('call')}`)).status).toBe(404);
});

test('a page of executions, its filters, and another agent’s', async () => {
  const tenant = await newTenant();
  const [agent, other] = [await createScriptedAgent(tenant), await createScriptedAgent(tenant)];
  const failing = scripted({ status: 400, message: 'no' });
  const ids = [];
  for (const script of [scripted({ text: 'a' }), failing, scripted({ text: 'c' })]) {
    ids.push((await answered(run(tenant, agent.id, script))).executionId);
  }
  const list = (query = '', of = agent.id) => read(tenant, `${of}/executions?${query}`);
  const idsIn = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  expect(idsIn(await list())).toEqual(ids.toReversed());
  expect(idsIn(await list('', other.id))).toEqual([]);
  expect(idsIn(await list('status=failed'))).toEqual([ids[1]]);
  expect(idsIn(await list('surfaceType=chat'))).toEqual([]);
  const first = await list('limit=2&includeCount=true');
  expect(first.pagination).toMatchObject({ hasMore: true, totalCount: 3 });
  expect(idsIn(await list(`limit=2&cursor=${first.pagination.nextCursor}`))).toEqual([ids[0]]);
  const [{ startedAt }] = first.data;
  expect(idsIn(await list(`from=${startedAt}`))).toEqual([ids[2]]);
  expect(idsIn(await list(`to=${startedAt}&limit=1`))).toEqual([ids[2]]);
  expect(idsIn(await list(`executionId=${ids[0]}`, other.id))).toEqual([ids[0]]);
  expect((await get(tenant, `${agent.id}/executions?status=nonsense`)).status).toBe(400);
  expect((await get(tenant, `${other.id}/executions/${ids[0]}`)).status).toBe(404);
});

test('the executions of sub-agents are found by their parent, and read through the outer agent', async () => {
  const tenant = await newTenant();
  const inner = await createScriptedAgent(tenant);
  const outer = await createScriptedAgent(
    tenant,
    {},
    { capabilities: [{ toolName: 'ask', subAgentId: inner.id }] },
  );
  const script = scripted(calls(['ask', { message: scripted({ text: 'from inside' }) }]), {
    text: 'outside',
  });
  const { executionId, result } = await answered(run(tenant, outer.id, script));
  expect(result).toBe('outside');
  const { data } = await read(tenant, `${outer.id}/executions?parentExecutionId=${executionId}`);
  const ofInner = { agentId: inner.id, agentName: inner.name, status: 'completed' };
  const { toolCalls } = await read(tenant, `${outer.id}/executions/${executionId}/tool-calls`);
  expect(data).toMatchObject([
    { ...ofInner, parentExecutionId: executionId, parentToolCallId: toolCalls[0].id },
  ]);
  const child = await read(tenant, `${outer.id}/executions/${data[0].id}`);
  expect(child).toMatchObject({ finalOutput: 'from inside' });
  expect((await read(tenant, `${inner.id}/executions`)).data).toMatchObject([{ id: data[0].id }]);
});

test('an execution whose messages are too long for a response: its details omit them', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const messages = [
    { role: 'user', content: 'x'.repeat(1_300_000) },
    { role: 'assistant', content: 'ok' },
    { role: 'user', content: scripted({ text: 'done' }) },
  ];
  const { executionId } = await answered(run(tenant, agent.id, '', { messages }));
  expect(await read(tenant, `${agent.id}/executions/${executionId}`)).toMatchObject({
    inputMessages: null,
    finalOutput: 'done',
    iterationDetails: [{ content: 'done' }],
  });
});
