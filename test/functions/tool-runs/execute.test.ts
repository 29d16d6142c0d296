import { expect, test } from 'vitest';
import { executeTool } from '../../../functions/tool-runs/execute.ts';
import { newId } from '../../../shared/core/ids.ts';
import { openPorts } from '../../../shared/execution/open-ports.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { newKey } from '../../support/stack/keys.ts';
import { tenantPrincipal } from '../../support/stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const execute = ({ call }: Pick<Tenant, 'call'>, id: string, parameters: object = {}, more: object = {}) =>
  call('POST', `/v1/tools/${id}/execute`, { body: { parameters, ...more } });
const executions = async ({ call }: Pick<Tenant, 'call'>, id: string) =>
  (await expectStatus(200, call('GET', `/v1/tools/${id}/executions`))).data;

const strict = {
  parametersSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

test('runs a tool, and records that without its arguments and its result', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  const answer = await expectStatus(200, execute(tenant, id, { n: 21 }, { toolId: id }));
  expect(answer).toEqual({
    executionId: expect.stringMatching(/^toolrun_/),
    status: 'success',
    result: 42,
    executionTimeMs: expect.any(Number),
  });
  const context = { userId: 'someone else', flowExecutionId: 'exec_1', stepId: 'step_1' };
  const key = await newKey(tenant, { permissions: ['TOOLS:EXECUTE'] });
  await expectStatus(200, execute(key, id, {}, { context }));
  const [second, first] = await executions(tenant, id);
  expect(first).toEqual({
    id: answer.executionId,
    toolId: id,
    status: 'success',
    error: null,
    userId: tenant.userId,
    keyId: null,
    executionTimeMs: answer.executionTimeMs,
    startedAt: expect.any(String),
    flowExecutionId: null,
    stepId: null,
  });
  expect(second).toMatchObject({
    userId: tenant.userId,
    keyId: key.id,
    flowExecutionId: 'exec_1',
    stepId: 'step_1',
  });
});

test('400 with the path for arguments that do not fit; the tool does not run and nothing is recorded', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant, strict);
  const { details } = await expectStatus(400, execute(tenant, id, { n: '5' }));
  expect(details).toEqual([{ path: 'parameters.n', code: 'INVALID_VALUE', message: 'Expected integer' }]);
  const missing = await expectStatus(400, execute(tenant, id));
  expect(missing.details).toMatchObject([{ path: 'parameters.n', code: 'MISSING_REQUIRED_FIELD' }]);
  await expectStatus(400, execute(tenant, id, { n: 1 }, { toolId: 'tool_other' }));
  await expectStatus(400, tenant.call('POST', `/v1/tools/${id}/execute`, { body: { parameters: [] } }));
  expect(await executions(tenant, id)).toEqual([]);
});

test('a tool that fails, loops or returns too much answers with status failed and is recorded', async () => {
  const tenant = await newTenant();
  const failing = async (code: string, config: object = {}) => {
    const { id } = await createTool(tenant, { config: { code, ...config } });
    const answer = await expectStatus(200, execute(tenant, id));
    expect(answer).toMatchObject({ status: 'failed' });
    expect(await executions(tenant, id)).toMatchObject([{ status: 'failed', error: answer.error }]);
    return answer.error;
  };
  expect(await failing('throw new Error("broken")')).toBe(
    'The tool Double failed: The script failed: Error: broken (line 1)',
  );
  expect(await failing('for (;;);', { timeoutMs: 100 })).toContain('took longer than 100 ms');
  expect(await failing('return "\\"".repeat(1.9e6)')).toContain('takes more than 5 MB of a response');
});

test('409 for a tool that is not active, 404 for one that does not exist', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  await expectStatus(200, tenant.call('PUT', `/v1/tools/${id}`, { body: { isActive: false } }));
  for (const path of ['execute', 'test']) {
    await expectStatus(409, tenant.call('POST', `/v1/tools/${id}/${path}`, { body: { parameters: {} } }));
  }
  await expectStatus(200, tenant.call('DELETE', `/v1/tools/${id}`));
  await expectStatus(404, execute(tenant, id));
  await expectStatus(404, tenant.call('GET', `/v1/tools/${id}/executions`));
});

test('a local tool waits for its caller; a subagent tool runs its agent', async () => {
  const tenant = await newTenant();
  const local = await createTool(tenant, { toolType: 'local', config: {} });
  expect(await expectStatus(200, execute(tenant, local.id))).toMatchObject({ status: 'waiting_for_local' });
  const { id: agentId } = await createAgent(tenant, { config: { model: 'generic-openai/any' } });
  const subagent = await createTool(tenant, { toolType: 'subagent', config: { agentId } });
  const { executionId, ...ran } = await expectStatus(200, execute(tenant, subagent.id, { message: 'hello' }));
  expect(ran).toMatchObject({ status: 'success', result: 'You said: hello' });
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${agentId}`));
  expect((await expectStatus(200, execute(tenant, subagent.id))).error).toContain('Agent not found');
});

test('a flow tool runs the published version with the arguments as variables', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [
    template('one', 'a'),
    template('{{ a }} {{ n }} {{ _flow.name }}'),
  ]);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const draft = { flowSteps: [template('draft')] };
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: draft }));
  expect(await expectStatus(200, execute(tenant, id, { n: 5 }))).toMatchObject({ result: 'one 5 A flow' });
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect((await expectStatus(200, execute(tenant, id))).error).toContain(`There is no flow ${flow.id}`);
});

test('the flow of a flow tool runs other tools, too', async () => {
  const tenant = await newTenant();
  const double = await createTool(tenant);
  const config = { toolId: double.id, parameters: { n: '{{ n }}' } };
  const flow = await publishedFlow(tenant, [{ type: 'tool-call', name: 'double', config }]);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  expect(await expectStatus(200, execute(tenant, id, { n: 4 }))).toMatchObject({ result: 8 });
});

test('a flow tool names what its flow failed with: a step, no version, a long wait', async () => {
  const tenant = await newTenant();
  const errorOf = async (steps: object[]) => {
    const flow = await publishedFlow(tenant, steps);
    const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
    return (await expectStatus(200, execute(tenant, id))).error;
  };
  const script = { type: 'transform-data', name: 's', config: { script: 'throw new Error("no")' } };
  expect(await errorOf([script])).toContain('The flow "A flow" failed: The script failed: Error: no');
  const local = await createTool(tenant, { toolType: 'local', config: {} });
  const ask = { type: 'tool-call', name: 'ask', config: { toolId: local.id } };
  expect(await errorOf([ask])).toContain('The caller of a run executes local tools');
  const wait = { type: 'wait-until', name: 'w', config: { delayMs: 60_000 } };
  expect(await errorOf([wait])).toContain('waits for more than ten seconds');
});

test('one run runs at most 500 flows, at whatever level', async () => {
  const tenant = await newTenant();
  const { id: flowId } = await publishedFlow(tenant, [template('x')]);
  const owner = { userId: tenant.userId, organizationId: null, runId: newId('exec') };
  const ports = openPorts(countingRuntime().scopeOf(tenant.tenant), owner);
  const run = () => ports.flows.run({ flowId, inputs: {}, ports, signal: AbortSignal.timeout(60_000) });
  for (let made = 0; made < 500; made++) await run();
  await expect(run()).rejects.toThrow('A run runs at most 500 flows as tools');
});

test('flows that run each other end after five levels', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const flowSteps = [{ type: 'tool-call', name: 'self', config: { toolId: id } }];
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps } }));
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  expect((await expectStatus(200, execute(tenant, id))).error).toContain('at most 5 levels deep');
});

test('a key with TOOLS:EXECUTE alone runs no flow and reads no config', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  const flowTool = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const custom = await createTool(tenant);
  const key = await newKey(tenant, { permissions: ['TOOLS:EXECUTE'] });
  const refused = await expectStatus(403, execute(key, flowTool.id));
  expect(refused.details).toBe('Missing required permission: FLOWS:EXECUTE');
  const shown = await expectStatus(403, key.call('POST', `/v1/tools/${custom.id}/test`, { body: {} }));
  expect(shown.details).toBe('Missing required permission: TOOLS:READ');
  const inline = {
    flow: { name: 'i', steps: [{ type: 'tool-call', name: 's', config: { toolId: flowTool.id } }] },
  };
  const both = await newKey(tenant, { permissions: ['TOOLS:EXECUTE', 'FLOWS:EXECUTE'] });
  const options = { streamResponse: false };
  expect((await both.call('POST', '/v1/dispatch', { body: { ...inline, options } })).body).toMatchObject({
    success: true,
  });
});

test('an inline flow that calls a record tool requires what the tool does', async () => {
  const tenant = await newTenant();
  const config = { toolId: 'builtin:record-search', parameters: { type: 'thing' } };
  const body = {
    flow: { name: 'i', steps: [{ type: 'tool-call', name: 's', config }] },
    options: { streamResponse: false },
  };
  const key = await newKey(tenant, { permissions: ['TOOLS:EXECUTE', 'FLOWS:EXECUTE'] });
  const refused = await expectStatus(403, key.call('POST', '/v1/dispatch', { body }));
  expect(refused.details).toBe('Missing required permission: RECORDS:READ');
});

test('a test shows the request with masked secrets and sends nothing; it runs the tool only if asked', async () => {
  const tenant = await newTenant();
  const value = 'a value that must not leak';
  await newSecret(tenant, { key: 'KEY', value });
  const { id } = await createTool(tenant, {
    toolType: 'external',
    parametersSchema: { type: 'object', properties: { city: { type: 'string' } } },
    config: {
      url: 'http://127.0.0.1:9/{{ city }}?key={{secret:KEY}}',
      method: 'POST',
      auth: { type: 'bearer', token: '{{secret:KEY}}' },
      body: { city: '{{ city }}', all: '{{ input }}' },
    },
  });
  const body = { parameters: { city: 'São Paulo/../x' } };
  const seen = await expectStatus(200, tenant.call('POST', `/v1/tools/${id}/test`, { body }));
  const request = {
    method: 'POST',
    timeoutMs: 30_000,
    url: 'http://127.0.0.1:9/S%C3%A3o%20Paulo%2F..%2Fx?key=********',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ********' },
    body: JSON.stringify({ city: 'São Paulo/../x', all: body.parameters }),
  };
  expect(seen).toMatchObject({ status: 'pending', executionTimeMs: 0, result: { request } });
  expect(await executions(tenant, id)).toEqual([]);
  const ran = await expectStatus(
    200,
    tenant.call('POST', `/v1/tools/${id}/test`, { body: { ...body, execute: true } }),
  );
  expect(ran).toMatchObject({ status: 'failed', result: { request } });
  expect(ran.error).not.toContain(value);
  expect(await executions(tenant, id)).toHaveLength(1);
});

test('a test of the other types shows what they would do', async () => {
  const tenant = await newTenant();
  const seen = async (id: string, parameters: object) =>
    (await expectStatus(200, tenant.call('POST', `/v1/tools/${id}/test`, { body: { parameters } }))).result
      .request;
  const flow = await publishedFlow(tenant);
  const flowTool = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  expect(await seen(flowTool.id, { n: 1 })).toEqual({ flowId: flow.id, variables: { n: 1 } });
  const local = await createTool(tenant, { toolType: 'local', config: {}, name: 'Ask me' });
  expect(await seen(local.id, { n: 1 })).toEqual({ toolName: 'Ask_me', arguments: { n: 1 } });
  const call = { operation: 'now' };
  expect(await seen('builtin:date-time', call)).toEqual({ toolId: 'builtin:date-time', arguments: call });
  const bad = await tenant.call('POST', '/v1/tools/builtin:date-time/test', { body: { parameters: {} } });
  expect(bad.status).toBe(400);
});

const prompt = {
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/gpt-4o-mini', userPrompt: 'about {{ n }}' },
};

test('model calls of a flow tool are counted: with the step that calls it, and in usage', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt, prompt]);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const usage = async () => (await expectStatus(200, tenant.call('GET', '/v1/model-usage'))).summary;
  expect(await expectStatus(200, execute(tenant, id, { n: 1 }))).toMatchObject({ status: 'success' });
  const first = await usage();
  expect(first).toMatchObject({ totalRequests: 2 });
  const steps = [{ type: 'tool-call', name: 's', config: { toolId: id, parameters: { n: 1 } } }];
  const body = { flow: { name: 'outer', steps }, options: { streamResponse: false } };
  const run = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(run.steps[0]).toMatchObject({
    modelUsed: 'generic-openai/gpt-4o-mini',
    estimatedCost: run.totalCost,
  });
  expect(Number(run.totalCost)).toBeCloseTo(first.totalCost, 12);
  expect(await usage()).toMatchObject({ totalRequests: 4, totalTokens: 2 * first.totalTokens });
});

test('record tools search and write for those who may', async () => {
  const tenant = await newTenant();
  const key = await newKey(tenant, { permissions: ['TOOLS:EXECUTE', 'RECORDS:READ'] });
  const city = (name: string, size: number) => ({ type: 'city', name, metadata: { size, note: 'x' } });
  const write = (caller: Pick<Tenant, 'call'>, args: object) =>
    execute(caller, 'builtin:record-upsert', args);
  const refused = await expectStatus(403, write(key, city('Oslo', 7)));
  expect(refused.details).toBe('Missing required permission: RECORDS:WRITE');
  for (const [name, size] of [
    ['Oslo', 7],
    ['Bergen', 3],
    ['Hamar', 1],
  ] as const) {
    expect((await expectStatus(200, write(tenant, city(name, size)))).status).toBe('success');
  }
  const search = async (args: object) => {
    const { result } = await expectStatus(
      200,
      execute(key, 'builtin:record-search', { type: 'city', ...args }),
    );
    return result.records.map(({ name, metadata }: { name: string; metadata: object }) => [name, metadata]);
  };
  const where = { field: 'size', op: 'gte', value: 3 };
  expect(await search({ where, fields: ['size'] })).toEqual([
    ['Bergen', { size: 3 }],
    ['Oslo', { size: 7 }],
  ]);
  expect(await search({ search: 'OSL', fields: ['note'] })).toEqual([['Oslo', { note: 'x' }]]);
  expect(await search({ limit: 1, fields: ['size'] })).toEqual([['Hamar', { size: 1 }]]);
  const stranger = await newTenant();
  const theirs = await expectStatus(200, execute(stranger, 'builtin:record-search', { type: 'city' }));
  expect(theirs.result).toEqual({ records: [], hasMore: false });
});

test('a tool that takes longer than the request may is stopped and recorded', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [{ type: 'wait-until', name: 'w', config: { delayMs: 9_000 } }]);
  const { id } = await createTool(tenant, { toolType: 'flow', config: { flowId: flow.id } });
  const invoke = invokeWith(toLambda(executeTool), tenantPrincipal(tenant), 3_000);
  const body = JSON.stringify({ parameters: {} });
  const headers = { 'content-type': 'application/json' };
  const answer = await invoke({ httpMethod: 'POST', pathParameters: { id }, body, headers });
  expect(JSON.parse(answer.body)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('time limit of'),
  });
  expect(await executions(tenant, id)).toMatchObject([{ status: 'failed' }]);
});
