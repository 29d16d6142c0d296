import { expect, test } from 'vitest';
import { scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { traceOutline } from '../../support/flows/sound-trace.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, newTenant } from '../../support/stack/stack.ts';

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

async function flowToolRun() {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/scripted', userPrompt: '{{ question }}' };
  const flow = await publishedFlow(tenant, [{ type: 'prompt', name: 'ask', config }]);
  const tool = await createTool(tenant, {
    name: 'look up',
    toolType: 'flow',
    config: { flowId: flow.id },
    parametersSchema: { type: 'object', properties: { question: { type: 'string' } } },
  });
  const body = { parameters: { question: scripted({ text: 'found' }) } };
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  const started = await tenant.call('POST', `/v1/tools/${tool.id}/execute`, { body, headers });
  const { executionId } = await expectStatus(200, Promise.resolve(started));
  return { tenant, executionId };
}

const outline = ['run look up', '  flow A flow', '    step ask', '      model chat scripted'];

test('a tool by itself: the flow that it runs, with its steps, in the trace of the request', async () => {
  const { tenant, executionId } = await flowToolRun();
  const trace = await getTrace(tenant, executionId);
  expect(traceOutline(trace)).toBe(outline.join('\n'));
  expect(trace).toMatchObject({ traceId, spans: [{ parentSpanId: spanId }, {}, {}, {}] });
});

test('a flow inside of a run has a trace of its own, which is a part of the whole', async () => {
  const { tenant, executionId } = await flowToolRun();
  const whole = await getTrace(tenant, executionId);
  const [root, inside] = whole.spans;
  const part = await getTrace(tenant, String(inside?.attributes['run.id']));
  expect(traceOutline(part)).toBe(['run A flow', '  step ask', '    model chat scripted'].join('\n'));
  expect(part.traceId).toBe(traceId);
  expect(part.spans[0]).toMatchObject({ spanId: inside?.spanId, parentSpanId: root?.spanId });
});

test('a caller without the permission to read tools does not see the trace of one', async () => {
  const { tenant, executionId } = await flowToolRun();
  const path = `/v1/runs/${executionId}/trace`;
  const statusWith = async (permission: string) => {
    const { key } = await newKey(tenant, { permissions: [permission] });
    return (await callerWith(key)('GET', path)).status;
  };
  expect(await statusWith('TOOLS:READ')).toBe(200);
  expect(await statusWith('FLOWS:READ')).toBe(404);
  expect(await statusWith('RECORDS:READ')).toBe(403);
});

test('of a flow inside, a caller who may not read flows sees when it ran', async () => {
  const { tenant, executionId } = await flowToolRun();
  const { key } = await newKey(tenant, { permissions: ['TOOLS:READ'] });
  const trace = await getTrace({ call: callerWith(key) }, executionId);
  expect(traceOutline(trace)).toBe(['run look up', '  flow flow'].join('\n'));
  const [, inside] = trace.spans;
  expect(inside?.attributes).toEqual({ 'run.id': expect.stringMatching(/^exec_/) });
});
