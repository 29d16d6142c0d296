import { expect, test } from 'vitest';
import type { Span } from '../../../shared/domain/runs/trace.ts';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { traceOutline } from '../../support/flows/sound-trace.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const model = 'generic-openai/scripted';
const failure = { status: 400 as const, message: 'no' };

const prompt = (name: string, userPrompt: string, more: object = {}) => ({
  type: 'prompt',
  name,
  config: { model, userPrompt, ...more },
});

const dispatch = async ({ call }: Tenant, body: object) =>
  expectStatus(200, call('POST', '/v1/dispatch', { body: { ...body, options: { streamResponse: false } } }));

const named = (spans: readonly Span[], name: string) => spans.find((span) => span.name === name) as Span;

test('a flow: its steps, a prompt, the attempts of a retry, a wait and a failing step', async () => {
  const tenant = await newTenant();
  const retried = { onError: 'fallback', fallbacks: [{ type: 'retry', delay: 20 }] };
  const flow = await publishedFlow(tenant, [
    template('first'),
    prompt('ask', scripted({ text: 'hello' })),
    prompt('again', scripted({ ...failure, times: 1 }, { text: 'at last' }), { errorHandling: retried }),
    { type: 'wait-until', name: 'pause', config: { delayMs: 30 } },
    { type: 'template', name: 'never', when: 'false', config: { template: 'x' } },
    prompt('fail', scripted(failure)),
  ]);
  const { executionId } = await dispatch(tenant, { flow: { id: flow.id } });
  const trace = await getTrace(tenant, executionId);
  expect(traceOutline(trace)).toBe(
    [
      'run A flow (error)',
      '  step first',
      '  step ask',
      '    model chat scripted',
      '  step again',
      '    attempt attempt 1 (error)',
      '      model chat scripted (error)',
      '    wait delay',
      '    attempt attempt 2',
      '      model chat scripted',
      '  step pause',
      '    wait wait',
      '  step never (skipped)',
      '  step fail (error)',
      '    model chat scripted (error)',
    ].join('\n'),
  );
  const { spans } = trace;
  // Whoever adds up the tokens of spans counts each call once.
  expect(named(spans, 'ask').attributes).toEqual({
    'flow.step.id': expect.any(String),
    'flow.step.type': 'prompt',
  });
  expect(spans[3]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'generic-openai',
    'gen_ai.request.model': 'scripted',
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.response.finish_reasons': ['stop'],
  });
  expect(spans.at(-1)?.attributes).toEqual({
    'error.type': 'model_failed',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'generic-openai',
    'gen_ai.request.model': 'scripted',
  });
  expect(named(spans, 'delay').durationMs).toBeGreaterThanOrEqual(20);
  expect(named(spans, 'fail').attributes).toMatchObject({ 'error.type': 'step_failed' });
  expect(JSON.stringify(trace)).not.toContain('at last');
  expect(await getTrace(tenant, executionId)).toEqual(trace);
});

test('prompts and outputs are in a trace only if it is asked for them', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt('ask', scripted({ text: 'the answer' }))]);
  const { executionId } = await dispatch(tenant, { flow: { id: flow.id } });
  const { spans } = await getTrace(tenant, executionId, '?include=content');
  expect(named(spans, 'chat scripted').attributes).toMatchObject({
    'gen_ai.input.messages': [
      { role: 'user', parts: [{ type: 'text', content: scripted({ text: 'the answer' }) }] },
    ],
    'gen_ai.output.messages': [
      { role: 'assistant', parts: [{ type: 'text', content: 'the answer' }], finish_reason: 'stop' },
    ],
  });
  expect(JSON.stringify(await getTrace(tenant, executionId))).not.toContain('the answer');
});

/** An agent that asks a colleague, who runs a flow as a tool, and needs an approval for another tool. */
async function nestedAgents(tenant: Tenant) {
  const flow = await publishedFlow(tenant, [prompt('inner prompt', '{{ question }}'), template('shape')]);
  const questions = { type: 'object', properties: { question: { type: 'string' } } };
  const flowTool = await createTool(tenant, {
    name: 'look up',
    toolType: 'flow',
    config: { flowId: flow.id },
    parametersSchema: questions,
  });
  const colleague = await createScriptedAgent(
    tenant,
    { tools: { toolIds: [flowTool.id] } },
    { name: 'Colleague' },
  );
  const subagent = await createTool(tenant, {
    name: 'colleague',
    toolType: 'subagent',
    config: { agentId: colleague.id },
    parametersSchema: { type: 'object', properties: { message: { type: 'string' } } },
  });
  const wipe = await createTool(tenant, { name: 'wipe' });
  return createScriptedAgent(
    tenant,
    {
      tools: { toolIds: [subagent.id, wipe.id, 'builtin:calculator'], approval: { require: ['wipe'] } },
      errorHandling: { onError: 'fallback', fallbacks: [{ type: 'retry', delay: 10 }] },
    },
    { name: 'Chief' },
  );
}

test('an agent: retries, tools, a sub-agent with a flow as a tool, an approval and a failed call', async () => {
  const tenant = await newTenant();
  const agent = await nestedAgents(tenant);
  const question = scripted({ text: 'found' });
  const message = scripted(calls(['look_up', { question }]), { text: 'looked up' });
  const script = scripted(
    { ...failure, times: 1 },
    calls(['colleague', { message }], ['calculator', { expression: '6 *' }]),
    calls(['wipe', { n: 4 }]),
    { text: 'done' },
  );
  const paused = await answered(run(tenant, agent.id, script));
  const { executionId } = paused;
  const waiting = await getTrace(tenant, executionId);
  expect(traceOutline(waiting)).toContain('\n    wait wait for approval (waiting)');
  expect(waiting.spans[0]).toMatchObject({ status: 'waiting', endedAt: null });
  const { approvalId } = paused.pausedReason.awaits[0];
  await answered(approve(tenant, agent.id, { executionId, approvalId, decision: 'approved' }));
  const trace = await getTrace(tenant, executionId);
  expect(traceOutline(trace)).toBe(
    [
      'run Chief',
      '  turn turn 1',
      '    attempt attempt 1 (error)',
      '      model chat scripted (error)',
      '    wait delay',
      '    attempt attempt 2',
      '      model chat scripted',
      '    tool execute_tool colleague',
      '      agent invoke_agent Colleague',
      '        turn turn 1',
      '          model chat scripted',
      '          tool execute_tool look_up',
      '            flow A flow',
      '              step inner prompt',
      '                model chat scripted',
      '              step shape',
      '        turn turn 2',
      '          model chat scripted',
      '    tool execute_tool calculator (error)',
      '  turn turn 2',
      '    model chat scripted',
      '    wait wait for approval',
      '    tool execute_tool wipe',
      '  turn turn 3',
      '    model chat scripted',
    ].join('\n'),
  );
  const sub = named(trace.spans, 'invoke_agent Colleague');
  expect(sub.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'Colleague',
  });
  // The sub-agent by itself is the same part of the same trace.
  const alone = await getTrace(tenant, String(sub.attributes['run.id']));
  expect(alone.traceId).toBe(trace.traceId);
  expect(alone.spans[0]).toMatchObject({ spanId: sub.spanId, parentSpanId: sub.parentSpanId, kind: 'run' });
  const ids = new Set(trace.spans.map(({ spanId }) => spanId));
  expect(alone.spans.filter(({ spanId }) => !ids.has(spanId))).toEqual([]);
  const full = await getTrace(tenant, executionId, '?include=content');
  expect(full.spans[0]?.attributes['gen_ai.input.messages']).toEqual([
    { role: 'user', parts: [{ type: 'text', content: expect.stringContaining('colleague') }] },
  ]);
  expect(full.spans.findLast(({ kind }) => kind === 'model')?.attributes['gen_ai.output.messages']).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: 'done' }], finish_reason: 'stop' },
  ]);
  expect(named(full.spans, 'execute_tool wipe').attributes).toMatchObject({
    'gen_ai.tool.call.arguments': { n: 4 },
    'gen_ai.tool.call.result': 8,
  });
});

test('an agent whose model fails: the turn with its attempts', async () => {
  const tenant = await newTenant();
  const retried = { onError: 'fallback', fallbacks: [{ type: 'retry', delay: 10 }] };
  const agent = await createScriptedAgent(tenant, { errorHandling: retried });
  const message = scripted(calls(['nobody']), failure);
  const { executionId } = await answered(run(tenant, agent.id, message));
  expect(traceOutline(await getTrace(tenant, executionId))).toBe(
    [
      'run Agent (error)',
      '  turn turn 1',
      '    model chat scripted',
      '    tool execute_tool nobody (error)',
      '  turn turn 2 (error)',
      '    attempt attempt 1 (error)',
      '      model chat scripted (error)',
      '    wait delay',
      '    attempt attempt 2 (error)',
      '      model chat scripted (error)',
    ].join('\n'),
  );
});

test('the steps of a branch are in the step that chose it', async () => {
  const tenant = await newTenant();
  const inner = {
    type: 'conditional',
    name: 'inner',
    config: { condition: 'true', trueSteps: [template('c')] },
  };
  const flow = await publishedFlow(tenant, [
    {
      type: 'conditional',
      name: 'outer',
      config: { condition: 'true', trueSteps: [{ ...template('a'), name: 'a' }, inner] },
    },
    { ...template('last'), name: 'last' },
  ]);
  const { executionId } = await dispatch(tenant, { flow: { id: flow.id } });
  expect(traceOutline(await getTrace(tenant, executionId))).toBe(
    ['run A flow', '  step outer', '    step a', '    step inner', '      step c', '  step last'].join('\n'),
  );
});

test('the first span has the tags and the session of the run', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const options = { streamResponse: false, tags: ['nightly'], sessionId: 'job-1' };
  const body = { flow: { id: flow.id }, options };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect((await getTrace(tenant, executionId)).spans[0]?.attributes).toMatchObject({
    'session.id': 'job-1',
    'run.tags': ['nightly'],
  });
});

test('agents that steps run are in the trace of the flow', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const config = { agentId: agent.id, message: scripted({ text: 'hello' }) };
  const flow = await publishedFlow(tenant, [{ type: 'execute-agent', name: 'delegate', config }]);
  const { executionId } = await dispatch(tenant, { flow: { id: flow.id } });
  expect(traceOutline(await getTrace(tenant, executionId))).toBe(
    [
      'run A flow',
      '  step delegate',
      '    agent invoke_agent Agent',
      '      turn turn 1',
      '        model chat scripted',
    ].join('\n'),
  );
});

test('a start with traceparent is part of that trace; a malformed header is ignored', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const agent = await createScriptedAgent(tenant);
  const unkept = { flow: { steps: [template('x')] }, options: { streamResponse: false } };
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const started = async (traceparent: string) => {
    const flowRun = await tenant.call('POST', '/v1/dispatch', { body, headers: { traceparent } });
    const unkeptRun = await tenant.call('POST', '/v1/dispatch', { body: unkept, headers: { traceparent } });
    const messages = [{ role: 'user', content: scripted({ text: 'hi' }) }];
    const agentRun = await tenant.call('POST', `/v1/agents/${agent.id}/execute`, {
      body: { messages, options: { streamResponse: false } },
      headers: { traceparent },
    });
    return Promise.all(
      [flowRun, unkeptRun, agentRun].map((each) =>
        getTrace(tenant, (each.body as { executionId: string }).executionId),
      ),
    );
  };
  for (const trace of await started(`00-${traceId}-${spanId}-01`)) {
    expect(trace.traceId).toBe(traceId);
    expect(trace.spans[0]?.parentSpanId).toBe(spanId);
  }
  for (const trace of await started(`00-${traceId}-${'0'.repeat(16)}-01`)) {
    expect(trace.traceId).not.toBe(traceId);
    expect(trace.spans[0]?.parentSpanId).toBeNull();
  }
});

test('a trace needs the permission to read runs of its kind; others, and those of other tenants, are 404', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const { executionId } = await dispatch(tenant, { flow: { id: flow.id } });
  const path = `/v1/runs/${executionId}/trace`;
  const stranger = await newTenant();
  const unknown = await stranger.call('GET', `/v1/runs/exec_${'0'.repeat(26)}/trace`);
  expect(unknown.status).toBe(404);
  expect(await stranger.call('GET', path)).toMatchObject({ status: 404, body: unknown.body });
});
