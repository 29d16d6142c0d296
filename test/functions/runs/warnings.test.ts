import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { handler } from '../../../functions/dispatch/run.ts';
import { createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import {
  createFlow,
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
} from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';

const cut = scripted({ text: 'Bergen, and', toolCalls: [], finishReason: 'length' } as never);
/** It lists no tools. */
const down = (more: object = {}) => ({
  id: 'crm',
  url: `${inject('failingMcpUrl')}/${randomUUID()}/list`,
  ...more,
});
const prompt = (more: object = {}) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/scripted', userPrompt: cut, tools: { mcpServers: [down()] }, ...more },
});
const failing = {
  type: 'transform-data',
  name: 'failing',
  config: { script: 'nothing.there', errorHandling: { onError: 'continue' } },
};

async function dispatch(tenant: Tenant, steps: object[]) {
  const { id } = await createFlow(tenant, steps);
  const body = { flow: { id }, options: { streamResponse: false } };
  return expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
}
const runsWith = async (tenant: Tenant, warning: string) => {
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/runs?warning=${warning}`));
  return data.map(({ id }: { id: string }) => id);
};

test('an answer that its provider ended for a reason of its own may be cut', async () => {
  const tenant = await newTenant();
  const ended = (finishReason: string) =>
    dispatch(tenant, [
      {
        type: 'prompt',
        name: 'ask',
        config: {
          model: 'generic-openai/scripted',
          userPrompt: scripted({ text: 'Bergen, and', toolCalls: [], finishReason } as never),
        },
      },
    ]);
  expect(await ended('server_busy')).toMatchObject({
    output: 'Bergen, and',
    warnings: [{ code: 'ANSWER_CUT', message: expect.stringContaining('ended it with server_busy') }],
  });
  expect(await ended('eos')).toMatchObject({ output: 'Bergen, and', warnings: [] });
});

test('what went otherwise is a warning of the step, its run, the list and the trace', async () => {
  const tenant = await newTenant();
  const result = await dispatch(tenant, [prompt()]);
  expect(result).toMatchObject({ status: 'completed', output: 'Bergen, and' });
  const [step] = result.steps;
  expect(step.warnings).toEqual([
    {
      code: 'TOOLS_MISSING',
      message: expect.stringContaining('The tools of the MCP server "crm"'),
      count: 1,
    },
    { code: 'ANSWER_CUT', message: expect.stringContaining('raise maxTokens'), count: 1 },
  ]);
  const ofRun = step.warnings.map((warning: object) => ({ stepId: step.id, ...warning }));
  expect(result.warnings).toEqual(ofRun);
  const { executionId: id } = result;
  expect(await expectStatus(200, tenant.call('GET', `/v1/runs/${id}`))).toMatchObject({ warnings: ofRun });
  const { spans } = await getTrace(tenant, id);
  const events = spans.flatMap((span) => span.events);
  expect(events.map(({ attributes }) => attributes)).toEqual([
    { 'warning.code': 'TOOLS_MISSING', 'warning.count': 1 },
    { 'warning.code': 'ANSWER_CUT', 'warning.count': 1 },
  ]);
  expect(JSON.stringify(await getTrace(tenant, id, '?include=content'))).toContain('raise maxTokens');
});

test('runs are filtered by a code of their warnings, or by any', async () => {
  const tenant = await newTenant();
  const [ended, failed] = await Promise.all([
    dispatch(tenant, [prompt({ tools: undefined })]),
    dispatch(tenant, [failing]),
    dispatch(tenant, [{ type: 'template', name: 'fine', config: { template: 'x' } }]),
  ]);
  expect(await runsWith(tenant, 'ANSWER_CUT')).toEqual([ended.executionId]);
  expect(await runsWith(tenant, 'STEP_FAILED')).toEqual([failed.executionId]);
  expect((await runsWith(tenant, 'any')).toSorted()).toEqual(
    [ended.executionId, failed.executionId].toSorted(),
  );
  expect((await tenant.call('GET', '/v1/runs?warning=NONSENSE')).status).toBe(400);
});

test('a step that failed, and after which the flow went on, is a warning', async () => {
  const result = await dispatch(await newTenant(), [failing]);
  expect(result).toMatchObject({ status: 'completed', warnings: [{ code: 'STEP_FAILED', count: 1 }] });
});

test('items of a map that failed are counted in one warning', async () => {
  const item = { type: 'transform-data', name: 'pick', config: { script: 'item.x.y' } };
  const map = {
    type: 'map',
    name: 'each',
    config: { items: '[{ x: { y: 1 } }, {}, {}]', steps: [item], onError: 'continue' },
  };
  const result = await dispatch(await newTenant(), [map]);
  expect(result).toMatchObject({ status: 'completed' });
  expect(result.warnings).toEqual([
    { code: 'STEP_FAILED', stepId: expect.any(String), message: expect.stringContaining('Items'), count: 2 },
  ]);
});

test('a fallback that took the place of a step is a warning', async () => {
  const errorHandling = { onError: 'fallback', fallbacks: [{ type: 'message', message: 'instead' }] };
  const step = { ...failing, config: { ...failing.config, errorHandling } };
  const result = await dispatch(await newTenant(), [step]);
  expect(result).toMatchObject({ output: 'instead', warnings: [{ code: 'FALLBACK_USED', count: 1 }] });
});

test('a stream tells a warning before the step that it is of is complete', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant, [prompt({ tools: undefined })]);
  const { stream, done } = invokeStreaming(handler, tenant, { flow: { id } });
  const [{ body }] = await Promise.all([readStreamedAnswer(stream), done]);
  const types = [...body.matchAll(/"type":"(warning|step_complete|execution_complete)"/g)].map(
    ([, type]) => type,
  );
  expect(types).toEqual(['warning', 'step_complete', 'execution_complete']);
  expect(body).toContain('"code":"ANSWER_CUT"');
});

test('a batch counts the warnings of its records', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt()]);
  await createRecords(tenant, 'thing', 12);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
  await finishedBatch(tenant, batchId);
  const status = await expectStatus(200, tenant.call('GET', `/v1/batch/status/${batchId}`));
  expect(status.warnings).toEqual({ TOOLS_MISSING: 12, ANSWER_CUT: 12 });
  expect(await runsWith(tenant, 'TOOLS_MISSING')).toEqual([batchId]);
});

test('an agent says which tools it lacked, and that it ended without a word', async () => {
  const tenant = await newTenant();
  const tools = { toolIds: ['builtin:calculator'], mcpServers: [down()] };
  const agent = await createScriptedAgent(tenant, { tools });
  const call = { toolCalls: [{ name: 'calculator', arguments: { expression: '1' } }] };
  const result = await expectStatus(200, run(tenant, agent.id, scripted(call as never, { text: '' })));
  const codes = result.warnings.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(['TOOLS_MISSING', 'ANSWER_EMPTY']);
  expect(await runsWith(tenant, 'ANSWER_EMPTY')).toEqual([result.executionId]);
});

test('a server that is required fails the run', async () => {
  const tenant = await newTenant();
  const result = await dispatch(tenant, [prompt({ tools: { mcpServers: [down({ required: true })] } })]);
  expect(result).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('The tools of the MCP server "crm"'),
  });
});
