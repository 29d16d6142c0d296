import { expect, test } from 'vitest';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (name: string, model: string, userPrompt: string, more: object = {}) => ({
  type: 'prompt',
  name,
  config: { model, userPrompt, outputVariable: name, ...more },
});

async function world(stepsFor: (model: string) => object[], count = 5) {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { mapping: 'echo', input: 1, output: 2, tokensMax: 300 });
  const flow = await publishedFlow(tenant, stepsFor(model));
  const records = await createRecords(tenant, 'thing', count);
  return { tenant, flowId: flow.id as string, ids: records.map(({ id }) => id) };
}

const forecast = ({ call }: Tenant, flowId: string, body: object = { recordType: 'thing' }) =>
  expectStatus(200, call('POST', '/v1/batch/forecast', { body: { flowId, ...body } }));

async function run(tenant: Tenant, flowId: string) {
  const body = { recordType: 'thing', options: { maxRetries: 0 } };
  const { body: answer } = await tenant.call('POST', `/v1/flows/${flowId}/run-on-record-type`, { body });
  await finishedBatch(tenant, answer.batchId);
  return (await expectStatus(200, tenant.call('GET', `/v1/batch/${answer.batchId}/cost`))).totalCostUsd;
}

test('without a history the limits of the model say what a run costs; nothing is called or stored', async () => {
  const { tenant, flowId } = await world((model) => [
    template('Hello {{ _record.name }}', 'greeting'),
    ask('answer', model, '{{ greeting }}, how are you?'),
  ]);
  const shown = await forecast(tenant, flowId, { recordType: 'thing', options: { maxRetries: 0 } });
  expect(shown).toMatchObject({ records: 5, sampled: 5, saved: '0', notes: [] });
  expect(shown.steps).toEqual([
    expect.objectContaining({
      name: 'answer',
      type: 'prompt',
      calls: { expected: 5, max: 5 },
      reused: 0,
      basis: 'bounds',
    }),
  ]);
  expect(Number(shown.cost.expected)).toBeLessThan(Number(shown.cost.max));
  for (const amount of Object.values(shown.cost)) expect(amount).toMatch(/^\d+(\.\d{1,12})?$/);
  const runs = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(runs.data).toEqual([]);
  const truth = await run(tenant, flowId);
  expect(truth).toBeGreaterThan(0);
  expect(truth).toBeLessThanOrEqual(Number(shown.cost.max));
});

test('what earlier results save is known, and what follows from an edit is not', async () => {
  const { tenant, flowId } = await world((model) => [
    ask('first', model, 'About {{ _record.name }}'),
    ask('second', model, 'Shorter: {{ first }}'),
  ]);
  const paid = await run(tenant, flowId);
  const unchanged = { recordType: 'thing', options: { reuse: 'unchanged', maxRetries: 0 } };
  const all = await forecast(tenant, flowId, unchanged);
  expect(all.steps.map(({ reused }: { reused: number }) => reused)).toEqual([5, 5]);
  expect(all.cost).toEqual({ expected: '0', p95: '0', max: '0' });
  expect(Number(all.saved)).toBeCloseTo(paid, 9);
  const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flowId}`));
  flowSteps[0].config.userPrompt = 'Of {{ _record.name }}';
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flowId}`, { body: { flowSteps } }));
  const dry = { version: 'draft', recordType: 'thing', dryRun: true, options: { maxRetries: 0 } };
  const edited = await expectStatus(200, tenant.call('POST', `/v1/flows/${flowId}/recompute`, { body: dry }));
  expect(edited.steps[0]).toMatchObject({ reused: 0, calls: { expected: 5, max: 5 } });
  expect(edited.steps[1].calls.max).toBe(5);
  const runs = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(runs.data).toHaveLength(1);
});

test('retries and fallbacks count for the limit', async () => {
  const { tenant, flowId } = await world(
    (model) => [
      ask('answer', model, 'x', {
        errorHandling: {
          onError: 'fallback',
          fallbacks: [{ type: 'retry' }, { type: 'message', message: 'none' }],
        },
      }),
    ],
    2,
  );
  const once = await forecast(tenant, flowId, { recordType: 'thing', options: { maxRetries: 0 } });
  const thrice = await forecast(tenant, flowId, { recordType: 'thing', options: { maxRetries: 2 } });
  expect(once.steps[0].calls).toEqual({ expected: 2, max: 4 });
  expect(thrice.steps[0].calls).toEqual({ expected: 2, max: 12 });
  expect(Number(thrice.cost.max)).toBeCloseTo(3 * Number(once.cost.max), 9);
});

test('a prompt behind a condition on an unknown output counts for the limit, whatever is guessed', async () => {
  const { tenant, flowId } = await world((model) => [
    ask('first', model, 'x'),
    { ...ask('second', model, 'y'), when: 'first === "never"' },
  ]);
  const { steps } = await forecast(tenant, flowId, { recordType: 'thing', options: { maxRetries: 0 } });
  expect(steps[1].calls).toEqual({ expected: 0, max: 5 });
  expect(Number(steps[1].cost.max)).toBeGreaterThan(0);
});

test('what a script makes of an unknown output has no limit, and a note says so', async () => {
  const { tenant, flowId } = await world((model) => [
    ask('first', model, 'x'),
    {
      type: 'transform-data',
      name: 'double',
      config: { script: 'return first + first', outputVariable: 'doubled' },
    },
    ask('second', model, '{{ doubled }}'),
  ]);
  const { cost, notes } = await forecast(tenant, flowId);
  expect(cost.max).toBeNull();
  expect(notes).toEqual([expect.stringContaining('Nothing limits the input')]);
});

test('without a price there is no cost', async () => {
  const { tenant, flowId } = await world(() => [ask('first', 'generic-openai/unpriced', 'x')]);
  const { cost, steps, notes } = await forecast(tenant, flowId);
  expect([cost, steps[0].cost]).toEqual([null, null]);
  expect(notes).toEqual([expect.stringContaining('The price of the model')]);
});

test.each<[string, object, string]>([
  ['no selection', {}, 'recordType'],
  ['two selections', { recordType: 'thing', recordIds: ['record_01k9m4v7d3x8qz5w2r6t0y1hbn'] }, 'recordIds'],
  ['a type without records', { recordType: 'none' }, 'recordType'],
  ['an option that no run has', { recordType: 'thing', options: { maxRetries: 9 } }, 'options.maxRetries'],
])('%s is refused', async (_what, body, path) => {
  const { tenant, flowId } = await world(() => [template('x')], 1);
  const { details } = await expectStatus(
    400,
    tenant.call('POST', '/v1/batch/forecast', { body: { flowId, ...body } }),
  );
  expect(details[0].path).toBe(path);
});

test('unknown records, versions and flows of others are not found', async () => {
  const { tenant, flowId, ids } = await world(() => [template('x')], 1);
  const asked = (caller: Tenant, body: object) =>
    caller.call('POST', '/v1/batch/forecast', { body: { flowId, ...body } });
  await expectStatus(404, asked(tenant, { recordIds: ['record_01k9m4v7d3x8qz5w2r6t0y1hbn'] }));
  await expectStatus(404, asked(tenant, { recordIds: ids, version: 'flowver_01k9m4v7d3x8qz5w2r6t0y1hbn' }));
  await expectStatus(404, asked(await newTenant(), { recordType: 'thing' }));
});

const script = (text: string) => ({
  type: 'transform-data',
  name: 'compute',
  config: { script: text, outputVariable: 'made' },
});

test('a step that fails before a prompt is named, since the prompt does not run', async () => {
  const { tenant, flowId } = await world((model) => [
    script('if (_record.name !== "thing-1") throw new Error("Not this one"); return 1'),
    ask('answer', model, '{{ made }}'),
  ]);
  const { steps, notes } = await forecast(tenant, flowId, {
    recordType: 'thing',
    options: { maxRetries: 0 },
  });
  expect(steps[0].calls).toEqual({ expected: 1, max: 1 });
  expect(notes).toEqual([
    'The step "compute" fails on 4 of 5 sampled records: The script failed: Error: Not this one (line 1)',
  ]);
});

const reduceThings = (model: string, config: object, userPrompt: string) => ({
  type: 'reduce',
  name: 'All',
  config: {
    ...{ from: { recordType: 'thing' }, fields: ['name'], combine: 'tree' },
    steps: [ask('themes', model, userPrompt)],
    ...config,
  },
});
const inCommon = 'What have these in common? {{ items | json }}';

test('a reduce step is forecast with the calls of each chunk and each level', async () => {
  const { tenant, flowId } = await world((model) => [
    reduceThings(model, { chunk: { maxItems: 2 } }, inCommon),
  ]);
  const body = { recordType: 'thing', options: { maxRetries: 0 } };
  const shown = await forecast(tenant, flowId, body);
  // For each of the five records: three chunks, two above, one at the end.
  expect(shown.steps).toEqual([
    expect.objectContaining({ name: 'themes', calls: { expected: 30, max: 30 } }),
  ]);
  expect(shown.notes).toEqual([]);
  const cost = await run(tenant, flowId);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThanOrEqual(Number(shown.cost.max));
});

test.each([
  ['chunks by tokens, whose results decide how many there are', { chunk: { maxTokens: 50 } }, inCommon],
  [
    'a sequence',
    { chunk: { maxItems: 3 }, combine: 'sequence' },
    'Add {{ items | json }} to this:\n{{ previous }}',
  ],
])('a reduce step with %s costs no more than its forecast says', async (_, config, userPrompt) => {
  const { tenant, flowId } = await world((model) => [reduceThings(model, config, userPrompt)], 12);
  const shown = await forecast(tenant, flowId, { recordType: 'thing', options: { maxRetries: 0 } });
  expect(shown.notes).toEqual([]);
  const cost = await run(tenant, flowId);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThanOrEqual(Number(shown.cost.max));
});

test('nothing limits what a reduce step costs whose results go through code before a prompt reads them; a note says so', async () => {
  const { tenant, flowId } = await world((model) => [
    reduceThings(model, { chunk: { maxItems: 2 } }, 'In common: {{ items | join: ", " }}'),
  ]);
  const shown = await forecast(tenant, flowId);
  expect(shown.cost.max).toBeNull();
  expect(shown.notes).not.toEqual([]);
});
