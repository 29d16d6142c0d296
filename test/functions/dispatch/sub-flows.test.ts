import { expect, test } from 'vitest';
import { createBudget, getBudget } from '../../support/flows/budgets.ts';
import {
  createFlow,
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import { newKeyedSecret } from '../../support/surfaces/setup-links.ts';

const sub = (flowId: string, config: object = {}, id = 'sub') => ({
  type: 'flow',
  id,
  name: id,
  config: { flowId, outputVariable: 'given', ...config },
});
const named = (id: string, text: string, outputVariable = 'text') => ({
  ...template(text, outputVariable),
  id,
  name: id,
});
const prompt = (model: string, id: string, userPrompt: string, more = {}) => ({
  type: 'prompt',
  id,
  name: id,
  config: { model, userPrompt, ...more },
});
const inline = (...steps: object[]) => ({
  flow: { name: 'Inline', steps },
  record: { name: 'it', type: 'thing', metadata: { size: 3 } },
  options: { streamResponse: false },
});

const run = ({ call }: Tenant, ...steps: object[]) =>
  expectStatus(200, call('POST', '/v1/dispatch', { body: inline(...steps) }));
const saved = async ({ call }: Tenant, ...flowSteps: object[]) => {
  const { status, body } = await call('POST', '/v1/flows', { body: { name: 'Saved', flowSteps } });
  return { status, details: body.details as { path: string; code: string; message: string }[] };
};
const update = ({ call }: Tenant, id: string, ...flowSteps: object[]) =>
  call('PUT', `/v1/flows/${id}`, { body: { flowSteps } });
const publish = ({ call }: Tenant, id: string) => expectStatus(200, call('POST', `/v1/flows/${id}/publish`));

test('a flow as a step sees its inputs and the built-in variables alone, and gives its last output', async () => {
  const tenant = await newTenant();
  const seen = '{{ who }} {{ hidden }}{{ _record.name }} {{ _flow.name }}';
  const inner = await publishedFlow(tenant, [named('show', seen, 'hidden')]);
  const ended = await run(
    tenant,
    named('first', 'secret', 'hidden'),
    sub(inner.id, { inputs: { who: 'Ada, {{ hidden | size }}' } }),
    named('last', '{{ given }}; {{ hidden }}'),
  );
  expect(ended).toMatchObject({ success: true, output: 'Ada, 6 it A flow; secret' });
});

test('inputs keep the types of what they name', async () => {
  const tenant = await newTenant();
  const script = { script: 'return { size: list.length, more }', outputVariable: 'out' };
  const inner = await publishedFlow(tenant, [{ type: 'transform-data', name: 'count', config: script }]);
  const list = { type: 'set-variable', name: 'list', config: { variableName: 'all', value: [1, 2, 3] } };
  const inputs = { list: '{{ all }}', more: { of: ['{{ all[1] }}', true] } };
  expect(await run(tenant, list, sub(inner.id, { inputs }))).toMatchObject({
    output: { size: 3, more: { of: [2, true] } },
  });
});

test('its steps have results and spans below its step, whose costs are their sum', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const ask = { type: 'prompt', id: 'ask', name: 'Ask', config: { model, userPrompt: 'Hello {{ who }}' } };
  const inner = await publishedFlow(tenant, [ask]);
  const middle = await publishedFlow(tenant, [sub(inner.id, { inputs: { who: '{{ n }}' } }, 'deep')]);
  const outer = await publishedFlow(tenant, [
    { ...named('ask', 'not this one') },
    {
      type: 'map',
      id: 'each',
      name: 'each',
      config: { items: '[1, 2]', as: 'n', steps: [sub(middle.id, { inputs: { n: '{{ n }}' } })] },
    },
  ]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const started = await expectStatus(
    200,
    tenant.call('POST', '/v1/batch/flow', { body: { flowId: outer.id, recordIds: [record?.id] } }),
  );
  await finishedBatch(tenant, started.batchExecutionId);
  const rows = await everyStepResult(tenant, `/v1/flows/${outer.id}/step-results`);
  const shown = rows.map(({ stepPath, stepName, stepType, itemIndex }) =>
    [stepPath, stepName, stepType, itemIndex].join(' '),
  );
  expect(shown.sort()).toEqual([
    'ask ask template ',
    'each each map ',
    'each[0]/sub sub flow 0',
    'each[0]/sub/deep deep flow 0',
    'each[0]/sub/deep/ask Ask prompt 0',
    'each[1]/sub sub flow 1',
    'each[1]/sub/deep deep flow 1',
    'each[1]/sub/deep/ask Ask prompt 1',
  ]);
  const by = (path: string) => rows.find(({ stepPath }) => stepPath === path);
  expect(by('each[1]/sub/deep/ask')).toMatchObject({ resolvedPrompt: 'Hello 2' });
  const cost = Number(by('each[0]/sub/deep/ask')?.estimatedCost);
  expect(cost).toBeGreaterThan(0);
  for (const path of ['each[0]/sub', 'each[0]/sub/deep']) {
    expect(Number(by(path)?.estimatedCost)).toBeCloseTo(cost, 12);
    expect(by(path)?.stepConfig).not.toHaveProperty('steps');
  }
  expect(Number(by('each')?.estimatedCost)).toBeCloseTo(2 * cost, 12);
  const { spans } = await expectStatus(200, tenant.call('GET', `/v1/runs/${started.batchExecutionId}/trace`));
  const span = spans.find(
    ({ attributes }: { attributes: Record<string, unknown> }) =>
      attributes['flow.step.path'] === 'each[1]/sub/deep/ask',
  );
  expect(span).toMatchObject({ name: 'Ask', kind: 'step' });
  const above = spans.find(({ spanId }: { spanId: string }) => spanId === span.parentSpanId);
  expect(above.attributes).toMatchObject({ 'flow.step.path': 'each[1]/sub/deep', 'flow.step.type': 'flow' });
});

test('a run goes on with the versions that were published when it started', async () => {
  const tenant = await newTenant();
  const hold = { type: 'approval', id: 'hold', name: 'Hold', config: { question: 'Go on?' } };
  const inner = await publishedFlow(tenant, [hold, named('say', 'old')]);
  const paused = await run(tenant, sub(inner.id), named('last', 'It was {{ given }}'));
  expect(paused).toMatchObject({ status: 'paused' });
  expect(paused.waits).toMatchObject([{ stepId: 'hold', stepPath: 'sub/hold' }]);
  await expectStatus(200, update(tenant, inner.id, named('say', 'new')));
  await publish(tenant, inner.id);
  expect(await run(tenant, sub(inner.id))).toMatchObject({ output: 'new' });
  const body = { stepId: 'sub/hold', choice: 'approve' };
  await expectStatus(200, tenant.call('POST', `/v1/runs/${paused.executionId}/answer`, { body }));
  const ended = await eventually(async () => {
    const found = await expectStatus(200, tenant.call('GET', `/v1/runs/${paused.executionId}`));
    if (found.status !== 'completed') throw new Error(`It is ${found.status}`);
    return found;
  }, 20_000);
  expect(JSON.stringify(ended)).toContain('It was old');
});

test('the span of a step that holds waiting steps lasts from the first of them to the last', async () => {
  const tenant = await newTenant();
  const hold = { type: 'approval', id: 'hold', name: 'Hold', config: { question: 'Go on?' } };
  const inner = await publishedFlow(tenant, [named('say', 'before'), hold]);
  const each = { type: 'map', id: 'each', name: 'each', config: { items: '[1]', steps: [sub(inner.id)] } };
  const { executionId } = await run(tenant, each);
  const spanTree = async () => {
    const { spans } = await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}/trace`));
    const [map, flow, say, asked] = ['each', 'sub', 'say', 'Hold'].map((name) =>
      spans.find((span: { name: string }) => span.name === name),
    );
    return { map, flow, say, asked };
  };
  const waiting = await spanTree();
  expect(waiting.flow).toMatchObject({ status: 'waiting', endedAt: null, parentSpanId: waiting.map.spanId });
  expect(waiting.asked).toMatchObject({ parentSpanId: waiting.flow.spanId });
  const body = { stepId: 'hold', choice: 'approve' };
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/answer`, { body }));
  const ended = await eventually(async () => {
    const tree = await spanTree();
    if (tree.map.status !== 'ok') throw new Error(`It is ${tree.map.status}`);
    return tree;
  }, 20_000);
  expect(ended.map.startedAt <= ended.say.startedAt).toBe(true);
  expect(ended.say.startedAt).toBe(waiting.say.startedAt);
  expect(ended.flow.durationMs).toBeGreaterThanOrEqual(ended.asked.durationMs);
});

test('a version may be named', async () => {
  const tenant = await newTenant();
  const inner = await publishedFlow(tenant, [named('say', 'first')]);
  const { publishedVersionId: version } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${inner.id}`),
  );
  await update(tenant, inner.id, named('say', 'second'));
  await publish(tenant, inner.id);
  expect(await run(tenant, sub(inner.id, { version }))).toMatchObject({ output: 'first' });
  expect(await run(tenant, sub(inner.id))).toMatchObject({ output: 'second' });
});

test('a flow in a flow that fails is a failure of its step', async () => {
  const tenant = await newTenant();
  const broken = {
    type: 'transform-data',
    id: 'break',
    name: 'Break',
    config: { script: 'throw new Error("no")' },
  };
  const inner = await publishedFlow(tenant, [broken]);
  const failed = await run(tenant, sub(inner.id));
  expect(failed).toMatchObject({ success: false });
  expect(JSON.stringify(failed)).toContain('The flow \\"A flow\\" failed');
});

test('unknown flows and versions, and those of other tenants, are refused', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const foreign = await publishedFlow(other);
  const own = await publishedFlow(tenant);
  const { publishedVersionId: foreignVersion } = await expectStatus(
    200,
    other.call('GET', `/v1/flow-versions/${foreign.id}`),
  );
  const unknown = 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn';
  const nested = { type: 'map', name: 'each', config: { items: '[]', steps: [sub(foreign.id)] } };
  for (const [step, path, code] of [
    [sub(unknown), 'flowSteps.0.config.flowId', 'UNKNOWN_FLOW'],
    [sub(foreign.id), 'flowSteps.0.config.flowId', 'UNKNOWN_FLOW'],
    [nested, 'flowSteps.0.config.steps.0.config.flowId', 'UNKNOWN_FLOW'],
    [sub(own.id, { version: foreignVersion }), 'flowSteps.0.config.version', 'UNKNOWN_VERSION'],
    [sub(own.id, { version: 'draft' }), 'flowSteps.0.config.version', undefined],
    [sub(own.id, { inputs: { _record: 'x' } }), 'flowSteps.0.config.inputs._record', undefined],
    [sub(own.id, { inputs: { a: '{{ x' } }), 'flowSteps.0.config.inputs.a', 'INVALID_TEMPLATE'],
    [sub(own.id, { inputs: { a: '{{secret:KEY}}' } }), 'flowSteps.0.config.inputs.a', 'SECRET_NOT_ALLOWED'],
  ] as const) {
    const { status, details } = await saved(tenant, step);
    expect({ status, at: details[0]?.path }).toEqual({ status: 400, at: path });
    if (code) expect(details[0]?.code).toBe(code);
  }
  const { status, body } = await tenant.call('POST', '/v1/dispatch', { body: inline(sub(foreign.id)) });
  expect({ status, code: body.details[0].code }).toEqual({ status: 400, code: 'UNKNOWN_FLOW' });
});

test('circles are refused, also through drafts and when an older version is published again', async () => {
  const tenant = await newTenant();
  const first = await publishedFlow(tenant);
  const second = await createFlow(tenant, [sub(first.id)]);
  const refused = async (answer: ReturnType<typeof update>, path: string) => {
    const { status, body } = await answer;
    expect({ status, at: body.details?.[0]?.path, message: body.details?.[0]?.message }).toMatchObject({
      status: 400,
      at: path,
      message: expect.stringContaining('run itself'),
    });
  };
  await refused(update(tenant, first.id, sub(first.id)), 'flowSteps.0.config.flowId');
  await refused(update(tenant, first.id, sub(second.id)), 'flowSteps.0.config.flowId');
  const third = await createFlow(tenant, [{ ...sub(second.id), enabled: false }]);
  await refused(update(tenant, first.id, sub(third.id)), 'flowSteps.0.config.flowId');
  // The second flow stops running the first one, which may run it then; its old version may not come back.
  await publish(tenant, second.id);
  const { publishedVersionId: versionId } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${second.id}`),
  );
  await expectStatus(200, update(tenant, second.id, named('say', 'x')));
  await publish(tenant, second.id);
  await expectStatus(200, update(tenant, first.id, sub(second.id)));
  const again = tenant.call('POST', `/v1/flow-versions/${second.id}/publish`, { body: { versionId } });
  await refused(again, 'versionId');
});

test('flows run each other at most five levels deep', async () => {
  const tenant = await newTenant();
  let inner = await publishedFlow(tenant, [named('say', 'deep')]);
  for (let level = 1; level < 5; level++) inner = await publishedFlow(tenant, [sub(inner.id)]);
  expect(await run(tenant, sub(inner.id))).toMatchObject({ output: 'deep' });
  const fifth = await publishedFlow(tenant, [sub(inner.id)]);
  const { status, details } = await saved(tenant, sub(fifth.id));
  expect({ status, code: details[0]?.code }).toEqual({ status: 400, code: 'TOO_DEEP' });
});

test('a flow that cannot be run any more fails the step, and says why', async () => {
  const tenant = await newTenant();
  const unpublished = await createFlow(tenant, [named('say', 'x')]);
  const outer = await publishedFlow(tenant, [sub(unpublished.id)]);
  const message = async () => {
    const body = { flow: { id: outer.id }, options: { streamResponse: false } };
    return JSON.stringify(await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body })));
  };
  expect(await message()).toContain('has no published version; publish it');
  await tenant.call('DELETE', `/v1/flows/${unpublished.id}`);
  expect(await message()).toContain(`There is no flow ${unpublished.id}`);
});

test('an export has the flows that its steps run', async () => {
  const tenant = await newTenant();
  const inner = await publishedFlow(tenant, [named('say', '{{ x }}')]);
  const middle = await publishedFlow(tenant, [sub(inner.id)]);
  const outer = await createFlow(tenant, [sub(middle.id)]);
  const { steps, flows } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flows/${outer.id}/export-runtime`),
  );
  expect(steps).toHaveLength(1);
  expect(flows.map(({ id }: { id: string }) => id)).toEqual([middle.id, inner.id]);
  expect(flows[1].steps[0].config).toMatchObject({ template: '{{ x }}' });
});

test('a secret of the other flow is used there, and removed from what comes out', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'TOKEN', 'hush-hush-12345');
  const script = { script: 'return "{{secret:TOKEN}}".length', outputVariable: 'size' };
  const leak = { script: 'return ["{{secret:TOKEN}}", size]' };
  const inner = await publishedFlow(tenant, [
    { type: 'transform-data', name: 'size', config: script },
    { type: 'transform-data', name: 'leak', config: leak },
  ]);
  const ended = await run(tenant, sub(inner.id));
  expect(ended.output[1]).toBe('hush-hush-12345'.length);
  expect(JSON.stringify(ended)).not.toContain('hush-hush');
});

test('its model calls count for its own budget too', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const ask = { type: 'prompt', id: 'ask', name: 'Ask', config: { model, userPrompt: 'Hello' } };
  const inner = await publishedFlow(tenant, [ask]);
  const { id } = await createBudget(tenant, { scope: { type: 'flow', id: inner.id }, limit: '1' });
  expect(await run(tenant, sub(inner.id))).toMatchObject({ success: true });
  const { spent } = await getBudget(tenant, id);
  expect(Number(spent)).toBeGreaterThan(0);
});

test('a forecast counts the model calls of the other flow', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const ask = { type: 'prompt', id: 'ask', name: 'Ask', config: { model, userPrompt: 'Hello {{ who }}' } };
  const inner = await publishedFlow(tenant, [ask]);
  const inputs = { who: '{{ _record.name }}' };
  const outer = await publishedFlow(tenant, [sub(inner.id, { inputs }), sub(inner.id, { inputs }, 'again')]);
  const recordIds = (await createRecords(tenant, 'thing', 4)).map(({ id }) => id);
  const body = { flowId: outer.id, recordIds };
  const forecast = await expectStatus(200, tenant.call('POST', '/v1/batch/forecast', { body }));
  expect(forecast).toMatchObject({ records: 4 });
  expect(forecast.steps).toMatchObject([{ name: 'Ask', calls: { expected: 8, max: 24 } }]);
  const first = {
    type: 'prompt',
    id: 'first',
    name: 'First',
    config: { model, userPrompt: 'x', outputVariable: 'a' },
  };
  const unsure = await publishedFlow(tenant, [first, sub(inner.id, { inputs: { who: '{{ a }}' } })]);
  const bounds = await expectStatus(
    200,
    tenant.call('POST', '/v1/batch/forecast', { body: { ...body, flowId: unsure.id } }),
  );
  // Nothing limits what is inserted there.
  expect(bounds.steps).toMatchObject([{ name: 'First' }, { name: 'Ask', cost: { max: null } }]);
});

test('a forecast counts each place at which the other flow may run', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const inner = await publishedFlow(tenant, [prompt(model, 'ask', 'Hello')]);
  const unsure = {
    type: 'conditional',
    id: 'if',
    name: 'if',
    config: { condition: 'a == "yes"', trueSteps: [sub(inner.id, {}, 'again')], falseSteps: [] },
  };
  const outer = await publishedFlow(tenant, [
    sub(inner.id),
    prompt(model, 'first', 'x', { outputVariable: 'a' }),
    unsure,
  ]);
  const recordIds = (await createRecords(tenant, 'thing', 1)).map(({ id }) => id);
  const body = { flowId: outer.id, recordIds, options: { maxRetries: 0 } };
  const forecast = await expectStatus(200, tenant.call('POST', '/v1/batch/forecast', { body }));
  const calls = Object.fromEntries(
    forecast.steps.map((step: { name: string; calls: object }) => [step.name, step.calls]),
  );
  expect(calls).toEqual({ ask: { expected: 1, max: 2 }, first: { expected: 1, max: 1 } });
});

test('a forecast keeps variables of the other flow apart from those of the same name outside', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const last = prompt(model, 'last', 'About {{ a }}');
  const [record] = await createRecords(tenant, 'thing', 1);
  const cost = async (...steps: object[]) => {
    const flow = await publishedFlow(tenant, [
      prompt(model, 'first', 'x', { outputVariable: 'a' }),
      ...steps,
      last,
    ]);
    const body = { flowId: flow.id, recordIds: [record?.id] };
    const { steps: shown } = await expectStatus(200, tenant.call('POST', '/v1/batch/forecast', { body }));
    return shown.find(({ name }: { name: string }) => name === 'last').cost.max;
  };
  const inner = await publishedFlow(tenant, [named('set', 'known', 'a')]);
  expect(await cost(sub(inner.id))).toBe(await cost());
});

test('a forecast counts the records on which a step fails, not how often it does', async () => {
  const tenant = await newTenant();
  const script = { script: 'throw new Error("no")' };
  const inner = await publishedFlow(tenant, [
    { type: 'transform-data', id: 'same', name: 'same', config: script },
  ]);
  const outer = await publishedFlow(tenant, [sub(inner.id, {}, 'same')]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const body = { flowId: outer.id, recordIds: [record?.id] };
  const { notes } = await expectStatus(200, tenant.call('POST', '/v1/batch/forecast', { body }));
  expect(notes).toEqual([expect.stringContaining('fails on 1 of 1 sampled records')]);
});
