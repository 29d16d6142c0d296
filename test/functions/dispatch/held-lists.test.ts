import { expect, test } from 'vitest';
import { StreamEvent } from '../../../shared/protocols/run-events/stream-event.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { allEvents } from '../../support/stack/sse.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const held = (type: string, id: string, config: object) => ({ type, id, name: id, config });
const wait = (delayMs: number) => ({ type: 'wait-until', name: 'wait', config: { delayMs } });
const ask = (model: string, userPrompt: string, outputVariable?: string) => ({
  type: 'prompt',
  id: `ask-${outputVariable}`,
  name: 'ask',
  config: { model, userPrompt, ...(outputVariable && { outputVariable }) },
});
const inline = (...steps: object[]) => ({ flow: { name: 'Inline', steps } });

async function batchOn(tenant: Tenant, flowId: string, records: number, options: object = {}) {
  const recordIds = (await createRecords(tenant, 'thing', records)).map(({ id }) => id);
  const body = { flowId, recordIds, options };
  const answer = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  return answer.batchExecutionId as string;
}

test.concurrent('events say in which branch, item and pass a step runs', async () => {
  const tenant = await newTenant();
  const pass = held('loop', 'again', {
    while: '_loop.index < 2',
    maxIterations: 2,
    steps: [{ ...template('{{ item }}', 'x'), id: 'text' }],
  });
  const each = held('map', 'each', { items: '["a", "b"]', steps: [pass] });
  const both = held('parallel', 'both', {
    branches: [
      { name: 'left', steps: [each] },
      { name: 'right', steps: [{ ...template('x'), id: 'other' }] },
    ],
  });
  const events = await allEvents(tenant.token, '/v1/dispatch', inline(both));
  for (const { data } of events) expect(StreamEvent.safeParse(data).error).toBeUndefined();
  const ended = events.flatMap(({ data }) => (data.type === 'step_complete' ? [data] : []));
  const places = ended.map(({ stepPath, itemIndex }) => `${stepPath} ${itemIndex ?? ''}`.trim());
  expect(places.sort()).toEqual([
    'both',
    'both/left/each',
    'both/left/each[0]/again 0',
    'both/left/each[0]/again[0]/text 0',
    'both/left/each[0]/again[1]/text 0',
    'both/left/each[1]/again 1',
    'both/left/each[1]/again[0]/text 1',
    'both/left/each[1]/again[1]/text 1',
    'both/right/other',
  ]);
  expect(ended.every(({ index }) => index === 0)).toBe(true);
  expect(events.at(-1)?.data).toMatchObject({ success: true, totalSteps: 1, successfulSteps: 9 });
});

test.concurrent('texts that stream at the same time keep their ids', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { mapping: 'echo' });
  const each = held('map', 'each', { items: '[1, 2, 3]', steps: [ask(model, 'Say {{ item }}', 'x')] });
  const events = await allEvents(tenant.token, '/v1/dispatch', inline(each));
  const texts = Map.groupBy(
    events.map(({ data }) => data).filter((data) => 'id' in data && String(data.id).startsWith('text')),
    (data) => String((data as { id: string }).id),
  );
  expect(texts.size).toBe(3);
  for (const own of texts.values()) {
    const paths = new Set(own.map((data) => (data as { stepPath?: string }).stepPath));
    expect(paths.size).toBe(1);
    const deltas = own.flatMap((data) => (data.type === 'text_delta' ? [data.delta] : []));
    expect(own.at(-1)).toMatchObject({ type: 'text_complete', text: deltas.join('') });
  }
});

test.concurrent('results have the place of their step, what was set there, and sums that count once', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { mapping: 'echo' });
  const each = held('map', 'each', {
    items: '_record.name.split("-")',
    steps: [ask(model, 'One {{ item }}', 'one'), ask(model, 'Two {{ one }}', 'two')],
    outputVariable: 'all',
  });
  const flow = await publishedFlow(tenant, [template('x', 'before'), each]);
  const batchId = await batchOn(tenant, flow.id, 1);
  await finishedBatch(tenant, batchId);
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  const second = rows.find(({ stepPath }) => stepPath === 'each[1]/ask-two');
  expect(second).toMatchObject({ itemIndex: 1, stepId: 'ask-two', order: 1 });
  expect(Object.keys(second?.inputVariables as object).sort()).toEqual(['before', 'one']);
  const cost = (row: object | undefined) => Number((row as { estimatedCost?: string })?.estimatedCost);
  const asked = rows.filter(({ stepName }) => stepName === 'ask');
  const sum = asked.reduce((total, row) => total + cost(row), 0);
  expect(asked).toHaveLength(4);
  const whole = rows.find(({ stepPath }) => stepPath === 'each');
  expect(whole).toMatchObject({ itemIndex: null, inputVariables: { before: 'x' } });
  expect(cost(whole)).toBeCloseTo(sum, 12);
  const run = await expectStatus(200, tenant.call('GET', `/v1/runs/${batchId}`));
  expect(Number(run.totalCost)).toBeCloseTo(sum, 12);
});

test.concurrent('a record whose items and branches wait is suspended, and ends when they have waited', async () => {
  const tenant = await newTenant();
  const each = held('map', 'each', {
    items: '[1, 2]',
    steps: [{ ...wait(11_000), when: 'item === 1' }, template('{{ item }}')],
    outputVariable: 'all',
  });
  const both = held('parallel', 'both', {
    branches: [
      { name: 'left', steps: [each] },
      { name: 'right', steps: [wait(10_500), template('late', 'x')] },
    ],
  });
  const flow = await publishedFlow(tenant, [both]);
  const batchId = await batchOn(tenant, flow.id, 1);
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'completed' });
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  expect(rows.filter(({ status }) => status === 'completed').map(({ stepPath }) => stepPath)).toHaveLength(7);
  const whole = rows.find(({ stepPath }) => stepPath === 'both');
  expect(JSON.parse(String(whole?.outputPreview))).toEqual({
    left: { all: ['1', '2'] },
    right: { x: 'late' },
  });
}, 60_000);

test.concurrent('retrying a batch repeats no item that is paid', async () => {
  const tenant = await newTenant();
  const [echo, some] = [
    await pricedModel(tenant, { mapping: 'echo' }),
    await pricedModel(tenant, { mapping: 'refusing-some' }),
  ];
  const each = held('map', 'each', {
    items: '["a", "[refuse]", "b"]',
    concurrency: 1,
    steps: [ask(echo, '{{ item }}', 'one'), ask(some, 'again {{ item }}', 'two')],
  });
  const flow = await publishedFlow(tenant, [each]);
  const batchId = await batchOn(tenant, flow.id, 1, { maxRetries: 0 });
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'failed' });
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/model-configs'));
  const { settings } = data.find(({ id }: { id: string }) => id === some);
  settings.customModel.executorConfig.modelMapping = 'echo';
  await expectStatus(200, tenant.call('PUT', `/v1/model-configs/${some}`, { body: { settings } }));
  const again = await expectStatus(202, tenant.call('POST', `/v1/batch/${batchId}/retry`, { body: {} }));
  expect(await finishedBatch(tenant, again.batchId)).toMatchObject({ status: 'completed' });
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  const own = rows.filter((row) => row.batchExecutionId === again.batchId);
  const ran = own.filter(({ reusedFrom, stepName }) => reusedFrom === null && stepName === 'ask');
  expect(ran.map(({ stepPath }) => stepPath).sort()).toEqual([
    'each[1]/ask-two',
    'each[2]/ask-one',
    'each[2]/ask-two',
  ]);
  expect(own.filter(({ reusedFrom }) => reusedFrom !== null)).toHaveLength(3);
});

test.concurrent('validate tells of variables of other branches and items', async () => {
  const tenant = await newTenant();
  const steps = [
    held('parallel', 'both', {
      branches: [
        { name: 'left', steps: [template('x', 'x')] },
        { name: 'right', steps: [template('{{ x }}')] },
      ],
      outputVariable: 'both',
    }),
    held('map', 'each', {
      items: 'both.left',
      as: 'one',
      steps: [template('{{ one }} {{ both }}', 'y')],
      output: 'y',
      outputVariable: 'all',
    }),
    held('loop', 'again', {
      while: '_loop.index < 3 && z !== "x"',
      maxIterations: 3,
      steps: [template('{{ _loop.index }}', 'z')],
    }),
    template('{{ all }} {{ y }} {{ z }}'),
  ];
  const answer = await expectStatus(
    200,
    tenant.call('POST', '/v1/public/flows/validate', { body: { name: 'f', flowSteps: steps } }),
  );
  const found = answer.warnings.map(({ code, path }: Record<string, string>) => `${code} ${path}`);
  expect(found).toEqual([
    'VARIABLE_USED_BEFORE_SET flowSteps.0.config.branches.1.steps.0.config.template',
    'VARIABLE_USED_BEFORE_SET flowSteps.3.config.template',
  ]);
});

test.concurrent('validate tells of lists without a bound before paid steps, and of callbacks that nobody hears of', async () => {
  const tenant = await newTenant();
  const mapOver = (items: string, ...steps: object[]) =>
    held('map', `each ${items.length}`.replaceAll(' ', '-'), { items, steps });
  const steps = [
    mapOver('_record.metadata.list', ask('default', 'x', 'a')),
    mapOver('_record.metadata.list.slice(0, 9)', ask('default', 'x', 'b')),
    mapOver('[1, 2]', ask('default', 'x', 'c')),
    mapOver('_record.metadata.list2', template('x')),
    { type: 'wait-for-callback', name: 'hear', config: { timeoutMinutes: 5 } },
  ];
  const { warnings } = await expectStatus(
    200,
    tenant.call('POST', '/v1/public/flows/validate', { body: { name: 'f', flowSteps: steps } }),
  );
  const found = warnings.map(({ code, path }: Record<string, string>) => `${code} ${path}`);
  expect(found.filter((text: string) => !text.startsWith('MODEL_'))).toEqual([
    'MAP_WITHOUT_BOUND flowSteps.0.config.items',
    'CALLBACK_NOT_ANNOUNCED flowSteps.4.config.announce',
  ]);
});

const bad: [string, string, object][] = [
  ['one branch', 'config.branches', held('parallel', 'p', { branches: [{ name: 'a', steps: [] }] })],
  [
    'two branches of a name',
    'config.branches.1.name',
    held('parallel', 'p', { branches: [1, 2].map(() => ({ name: 'a', steps: [] })) }),
  ],
  ['too many at once', 'config.concurrency', held('map', 'm', { items: '[]', steps: [], concurrency: 21 })],
  ['a name that is reserved', 'config.as', held('map', 'm', { items: '[]', steps: [], as: '_record' })],
  [
    'the name of what counts the passes',
    'config.as',
    held('map', 'm', { items: '[]', steps: [], as: '_loop' }),
  ],
  [
    'a step that sets what counts the passes',
    'config.steps.0.config.variableName',
    held('loop', 'l', {
      while: '_loop.index < 3',
      maxIterations: 5,
      steps: [{ type: 'set-variable', name: 's', config: { variableName: '_loop', value: '{}' } }],
    }),
  ],
  ['an expression that is none', 'config.items', held('map', 'm', { items: '[1', steps: [] })],
  ['no limit', 'config.maxIterations', held('loop', 'l', { while: 'true', steps: [] })],
  [
    'too many passes',
    'config.maxIterations',
    held('loop', 'l', { while: 'x', maxIterations: 101, steps: [] }),
  ],
  [
    'a bad step inside',
    'config.steps.0.config.template',
    held('map', 'm', { items: '[]', steps: [template('{{ x')] }),
  ],
  [
    'a step inside with an unknown member',
    'config.branches.1.steps.0.config.wrong',
    held('parallel', 'p', {
      branches: [
        { name: 'a', steps: [] },
        { name: 'b', steps: [{ ...template('x'), config: { template: 'x', wrong: 1 } }] },
      ],
    }),
  ],
];

test.concurrent.each(bad)('400 for %s, which names where', async (_what, path, step) => {
  const tenant = await newTenant();
  const body = { name: 'Bad', flowSteps: [step] };
  const answer = await expectStatus(400, tenant.call('POST', '/v1/flows', { body }));
  expect(answer.details.map((detail: { path: string }) => detail.path)).toContain(`flowSteps.0.${path}`);
});

test('a failure that stops what runs beside it is the failure of the run, also where an expression is being evaluated', async () => {
  const tenant = await newTenant();
  const inner = { type: 'transform-data', name: 'one', config: { script: 'return 1' } };
  const output = "'\\u0001'.repeat(700000)";
  const items = 'Array.from({ length: 12 }, (_, i) => i)';
  const each = { type: 'map', name: 'each', config: { items, steps: [inner], output } };
  const condition = { ...inner, when: "'\\u0001'.repeat(700000).length > 0" };
  const branches = [
    { name: 'fails', steps: [{ ...inner, config: { script: 'throw new Error("No")' } }] },
    { name: 'goesOn', steps: Array.from({ length: 20 }, () => condition) },
  ];
  const parallel = { type: 'parallel', name: 'both', config: { branches } };
  const errorOf = async (step: object) => {
    const body = { flow: { name: 'f', steps: [step] }, options: { streamResponse: false } };
    return (await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }))).error;
  };
  expect(await errorOf(each)).toMatch(
    /^Item \d+ failed: The expression returned more than 4000000 characters/,
  );
  expect(await errorOf(parallel)).toMatch(/^The branch fails failed: /);
});
