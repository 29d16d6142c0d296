import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import {
  answered,
  calls,
  createScriptedAgent,
  run as runAgent,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { createTool } from '../../support/files/tools.ts';
import {
  createFlow,
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const callsOf = (...list: { name: string; arguments: object }[]) => JSON.stringify(list);
const prompt = (tools: object, text: string, model = 'tool-caller') => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, text, tools },
});
const dispatched = ({ call }: Tenant, steps: object[]) =>
  call('POST', '/v1/dispatch', { body: { flow: { steps }, options: { streamResponse: false } } });
const run = (tenant: Tenant, steps: object[]) => expectStatus(200, dispatched(tenant, steps));
const requestsOf = async ({ call }: Tenant): Promise<number> =>
  (await expectStatus(200, call('GET', '/v1/model-usage'))).summary.totalRequests;

const anything = { type: 'object' };
const doubler = {
  name: 'double',
  description: 'Doubles n',
  toolType: 'custom',
  parametersSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  config: { code: 'return input.n * 2' },
};
const tool = (toolType: string, config: object) => ({
  name: 'own',
  description: 'Works',
  toolType,
  parametersSchema: anything,
  config,
});
const mcpServers = () => [{ id: 'm', url: inject('mcpUrl') }];
const asksForWeather = callsOf({ name: 'm__get_weather', arguments: { city: 'Oslo' } });
const weather = 'The tools returned {"celsius":21.5,"city":"Oslo"}';

test('a prompt’s model calls a tool that the step defines, whose arguments are checked', async () => {
  const tenant = await newTenant();
  const text = callsOf({ name: 'double', arguments: { n: 21 } }, { name: 'double', arguments: { n: 'x' } });
  const { output } = await run(tenant, [prompt({ runtimeTools: [doubler] }, text)]);
  expect(output).toContain('The tools returned 42 and ');
  expect(output).toContain('The arguments do not fit the tool double: n');
});

test.each<[string, (tenant: Tenant) => Promise<object>, object, string]>([
  [
    'external',
    async () => ({ url: `${inject('webhooksUrl')}/${randomUUID()}-{{ q }}` }),
    { q: 'a/b' },
    'The tools returned []',
  ],
  [
    'flow',
    async (tenant) => ({ flowId: (await publishedFlow(tenant, [template('hello {{ who }}')])).id }),
    { who: 'you' },
    'The tools returned hello you',
  ],
  [
    'subagent',
    async (tenant) => ({ agentId: (await createScriptedAgent(tenant)).id }),
    { message: scripted({ text: 'from the agent' }) },
    'The tools returned from the agent',
  ],
  [
    'advisor',
    async () => ({ model: 'generic-openai/any' }),
    { question: 'why' },
    'The tools returned You said: why',
  ],
  ['search', async () => ({ provider: 'exa' }), { query: 'x' }, 'exa'],
])('a prompt’s model calls a runtime tool of the type %s', async (toolType, configOf, args, expected) => {
  const tenant = await newTenant();
  const runtimeTools = [tool(toolType, await configOf(tenant))];
  const text = callsOf({ name: 'own', arguments: args });
  const { success, output } = await run(tenant, [prompt({ runtimeTools }, text)]);
  expect(success).toBe(true);
  expect(output).toContain(expected);
});

test('a prompt’s model calls the tools of an MCP server, and the stream shows them', async () => {
  const tenant = await newTenant();
  const steps = [prompt({ mcpServers: mcpServers() }, asksForWeather)];
  expect((await run(tenant, steps)).output).toBe(weather);
  const { events: frames } = await openEvents(tenant.token, '/v1/dispatch', { flow: { steps } });
  const events = (await Array.fromAsync(frames)).map(({ data }) => data);
  expect(events.find(({ type }) => type === 'tool_start')).toMatchObject({
    toolName: 'm__get_weather',
    toolType: 'mcp',
  });
  expect(events.find(({ type }) => type === 'tool_complete')).toMatchObject({
    result: { celsius: 21.5, city: 'Oslo' },
  });
});

/** The names of the tools that a model gets. */
async function namesFor(tenant: Tenant, tools: object): Promise<string[]> {
  const { output } = await run(tenant, [prompt(tools, 'x', 'mirror')]);
  return JSON.parse(output).tools.map((each: { function: { name: string } }) => each.function.name);
}

test('the model sees the allowed tools of enabled servers only', async () => {
  const tenant = await newTenant();
  const [server] = mcpServers();
  const allowed = { ...server, allowedTools: ['greet', 'get_weather'] };
  const off = { ...server, id: 'off', enabled: false };
  expect(await namesFor(tenant, { mcpServers: [allowed, off] })).toEqual(['m__get_weather', 'm__greet']);
});

test('tools of one name get different names, and each limit counts its own tool', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant, { name: 'double' });
  const named = { ...tool('custom', { code: '"of the step"' }), name: 'm__greet' };
  const [server] = mcpServers();
  const tools = {
    toolIds: [id],
    runtimeTools: [doubler, named],
    mcpServers: [{ ...server, allowedTools: ['greet'] }],
  };
  expect(await namesFor(tenant, tools)).toEqual(['double', 'double_2', 'm__greet', 'm__greet_2']);
  const perToolLimits = { double_2: { maxCalls: 0 } };
  const text = callsOf(
    { name: 'double', arguments: { n: 2 } },
    { name: 'double_2', arguments: { n: 3 } },
    { name: 'm__greet_2', arguments: { name: 'you' } },
  );
  const { output } = await run(tenant, [prompt({ ...tools, perToolLimits }, text)]);
  expect(output).toMatch(/^The tools returned 4 and .*double_2.* and Hello, you!$/);
});

test('each record of a batch uses the tools of the step', async () => {
  const tenant = await newTenant();
  const text =
    '[{"name":"double","arguments":{"n":{{ _record.metadata.value }}}}, {"name":"m__get_weather","arguments":{"city":"{{ _record.name }}"}}]';
  const tools = { runtimeTools: [doubler], mcpServers: mcpServers() };
  const flow = await publishedFlow(tenant, [prompt(tools, text)]);
  await createRecords(tenant, 'city', 12);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'city'));
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'completed', processedRecords: 12 });
  const path = `/v1/flows/${flow.id}/step-results?batchId=${batchId}&limit=50`;
  const { data } = await expectStatus(200, tenant.call('GET', path));
  expect(data.map(({ outputPreview }: { outputPreview: string }) => outputPreview).toSorted()).toEqual(
    Array.from(
      { length: 12 },
      (_, n) => `The tools returned ${2 * n} and {"celsius":21.5,"city":"city-${n}"}`,
    ).toSorted(),
  );
});

test('a flow inside of an agent uses the tools of its prompts', async () => {
  const tenant = await newTenant();
  const { id: flowId } = await publishedFlow(tenant, [prompt({ mcpServers: mcpServers() }, asksForWeather)]);
  const agent = await createScriptedAgent(tenant, {
    tools: { runtimeTools: [{ ...tool('flow', { flowId }), name: 'ask' }] },
  });
  const { executionId } = await answered(
    runAgent(tenant, agent.id, scripted(calls(['ask', {}]), { text: 'done' })),
  );
  const path = `/v1/agents/${agent.id}/executions/${executionId}/tool-calls`;
  const [made] = (await expectStatus(200, tenant.call('GET', path))).toolCalls;
  const { outputResult } = await expectStatus(200, tenant.call('GET', `${path}/${made.id}`));
  expect(outputResult).toBe(weather);
});

test('a run that pauses after the prompt and is resumed does not ask its model again', async () => {
  const tenant = await newTenant();
  const { id: toolId } = await createTool(tenant, { toolType: 'local', config: {} });
  const steps = [
    prompt({ runtimeTools: [doubler] }, callsOf({ name: 'double', arguments: { n: 4 } })),
    { type: 'tool-call', name: 'wait', config: { toolId, parameters: { n: 1 } } },
  ];
  const { executionId, awaits } = await run(tenant, steps);
  expect(await requestsOf(tenant)).toBe(2);
  const body = { executionId, toolOutputs: { [awaits.toolCallId]: 'there' }, streamResponse: false };
  const resumed = await expectStatus(200, tenant.call('POST', '/v1/dispatch/resume', { body }));
  expect(resumed).toMatchObject({ success: true, output: 'there' });
  expect(await requestsOf(tenant)).toBe(2);
});

test('flows whose prompts run each other end with a sentence', async () => {
  const tenant = await newTenant();
  const first = await createFlow(tenant, [template('x')]);
  const text = callsOf({ name: 'own', arguments: {} });
  const runs = (flowId: string) => [prompt({ runtimeTools: [tool('flow', { flowId })] }, text)];
  const second = await publishedFlow(tenant, runs(first.id));
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${first.id}`, { body: { flowSteps: runs(second.id) } }),
  );
  await expectStatus(200, tenant.call('POST', `/v1/flows/${first.id}/publish`));
  const { output } = await run(tenant, runs(first.id));
  expect(output).toContain('Flows run each other at most 5 levels deep');
  expect(await requestsOf(tenant)).toBeLessThan(15);
});

test('a runtime tool sends its secret, and neither its result nor the stream shows it', async () => {
  const tenant = await newTenant();
  const value = 'a value that must not leak';
  await newSecret(tenant, { key: 'KEY', value });
  const url = `${inject('webhooksUrl')}/${randomUUID()}`;
  const headers = { authorization: 'Bearer {{secret:KEY}}' };
  const runtimeTools = [
    { ...tool('external', { url, method: 'POST', headers }), name: 'send' },
    { ...tool('custom', { code: 'return [secrets.KEY, encodeURIComponent(secrets.KEY)]' }), name: 'tell' },
  ];
  const text = callsOf({ name: 'send', arguments: {} }, { name: 'tell', arguments: {} });
  const steps = [prompt({ runtimeTools }, text)];
  const { output } = await run(tenant, steps);
  expect(output).toContain('["[secret:KEY]","[secret:KEY]"]');
  const received = await (await fetch(url)).json();
  expect(received).toMatchObject([{ headers: { authorization: `Bearer ${value}` } }]);
  const { events: frames } = await openEvents(tenant.token, '/v1/dispatch', { flow: { steps } });
  const events = JSON.stringify(await Array.fromAsync(frames));
  expect(events).toContain('[secret:KEY]');
  expect(events).not.toContain(value);
});

test('403 for an inline prompt whose tools take more than the key has', async () => {
  const owner = await newTenant();
  const flowId = (await publishedFlow(owner)).id;
  const agentId = (await createScriptedAgent(owner)).id;
  const missing = async (tools: object, ...permissions: string[]) => {
    const tenant = await newTenant({ userId: owner.userId, permissions: ['FLOWS:EXECUTE', ...permissions] });
    const { status, body } = await dispatched(tenant, [prompt(tools, '[]')]);
    return status === 403 ? body.details : status;
  };
  const lacks = (permission: string) => `Missing required permission: ${permission}`;
  const subagent = { runtimeTools: [tool('subagent', { agentId })] };
  expect(await missing({ mcpServers: mcpServers() })).toBe(lacks('TOOLS:EXECUTE'));
  expect(await missing({ runtimeTools: [doubler] })).toBe(lacks('TOOLS:EXECUTE'));
  expect(await missing({ runtimeTools: [tool('flow', { flowId })] }, 'TOOLS:EXECUTE')).toBe(200);
  expect(await missing(subagent, 'TOOLS:EXECUTE')).toBe(lacks('AGENTS:EXECUTE'));
  expect(await missing(subagent, 'TOOLS:EXECUTE', 'AGENTS:EXECUTE')).toBe(200);
  const secret = [{ ...mcpServers()[0], auth: { type: 'bearer', token: '{{secret:KEY}}' } }];
  expect(await missing({ mcpServers: secret }, 'TOOLS:EXECUTE')).toBe(lacks('FLOWS:WRITE'));
});
