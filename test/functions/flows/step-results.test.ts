import { beforeAll, expect, test } from 'vitest';
import {
  createFlow,
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import {
  badStepResultQueries,
  everyStepResult,
  type StepResultRow,
  stepResultFields,
} from '../../support/flows/step-results.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknown = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;

/** Four results a record: a template, one that fails for every third record, a skipped one, a prompt. */
const steps = [
  template('hello {{ _record.name }}', 'greeting'),
  {
    type: 'transform-data',
    name: 'b: check',
    config: {
      script:
        'if (Number(_record.metadata.value) % 3 === 0) throw new Error("a third"); return "x".repeat(1500)',
      outputVariable: 'text',
      errorHandling: { onError: 'continue' },
    },
  },
  { ...template('never'), name: 'c: never', when: 'false' },
  { type: 'prompt', name: 'a: ask', config: { model: 'generic-openai/any', userPrompt: '{{ greeting }}!' } },
];
const recordCount = 30;

let tenant: Tenant;
let flow: { id: string; flowSteps: { id: string }[] };
let records: { id: string; name: string }[];
/** Two runs over all records, and the moment between. */
let batchIds: string[];
let between: string;

const path = () => `/v1/flows/${flow.id}/step-results`;
const every = (query = '', limit?: number) => everyStepResult(tenant, path(), query, limit);
const page = (query: string) => expectStatus(200, tenant.call('GET', `${path()}?${query}`));
const idsOf = (rows: StepResultRow[]) => rows.map(({ id }) => id);
const valuesOf = (rows: StepResultRow[], field: string) => [...new Set(rows.map((row) => row[field]))];

beforeAll(async () => {
  tenant = await newTenant();
  flow = await publishedFlow(tenant, steps);
  records = await createRecords(tenant, 'thing', recordCount);
  const run = async () => {
    const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
    await finishedBatch(tenant, batchId);
    return batchId as string;
  };
  const first = await run();
  between = new Date().toISOString();
  batchIds = [first, await run()];
});

test('those of one run', async () => {
  const [row] = await every('limit=1');
  const runId = String(row?.executionSessionId);
  const rows = await everyStepResult(tenant, path(), `runId=${runId}`);
  expect(rows).toHaveLength(4);
  expect(valuesOf(rows, 'executionSessionId')).toEqual([runId]);
  const ofRecord = `/v1/records/${row?.recordId}/step-results`;
  expect(idsOf(await everyStepResult(tenant, ofRecord, `runId=${runId}`))).toEqual(idsOf(rows));
  expect(await everyStepResult(tenant, path(), `runId=${unknown('exec')}`)).toEqual([]);
});

test('the list returns every result once, newest run first, the steps of a run from the last to the first', async () => {
  const rows = await every();
  expect(rows).toHaveLength(2 * recordCount * 4);
  expect(new Set(idsOf(rows)).size).toBe(rows.length);
  expect(rows.map(({ createdAt }) => createdAt)).toEqual(
    rows
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .toReversed(),
  );
  for (let start = 0; start < rows.length; start += 4) {
    const run = rows.slice(start, start + 4);
    expect(valuesOf(run, 'executionSessionId')).toHaveLength(1);
    expect(run.map(({ order }) => order)).toEqual([3, 2, 1, 0]);
  }
});

test('a result has exactly the fields of a step result', async () => {
  const rows = await every(`recordId=${records[0]?.id}&batchId=${batchIds[0]}&sortOrder=asc`);
  for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(stepResultFields);
  const { userId } = tenant;
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const common = {
    id: expect.stringMatching(/^step_[0-9a-z]{26}$/),
    userId,
    organizationId: null,
    batchExecutionId: batchIds[0],
    executionSessionId: expect.stringMatching(/^exec_[0-9a-z]{26}$/),
    flowId: flow.id,
    flowVersionId: versions[0].id,
    recordId: records[0]?.id,
    recordName: 'thing-0',
    recordMetadata: { value: '0' },
    startedAt: moment,
    completedAt: moment,
    createdAt: moment,
    durationMs: expect.any(Number),
    resolvedPrompt: null,
    modelUsed: null,
    promptTokens: null,
    completionTokens: null,
    totalTokens: null,
    estimatedCost: null,
    reusedFrom: null,
    savedCost: null,
    errorCode: null,
    errorMessage: null,
    retryCount: 0,
    attempts: null,
    warnings: [],
  };
  const of = (index: number) => {
    const stepId = flow.flowSteps[index]?.id;
    return { ...common, stepId, stepPath: stepId, itemIndex: null, order: index };
  };
  expect(rows).toEqual([
    {
      ...of(0),
      stepType: 'template',
      stepName: steps[0]?.name,
      stepConfig: steps[0]?.config,
      status: 'completed',
      outputPreview: 'hello thing-0',
      inputVariables: {},
    },
    {
      ...of(1),
      stepType: 'transform-data',
      stepName: 'b: check',
      stepConfig: steps[1]?.config,
      status: 'failed',
      outputPreview: null,
      inputVariables: { greeting: 'hello thing-0' },
      errorMessage: expect.stringContaining('a third'),
      warnings: [{ code: 'STEP_FAILED', message: expect.stringContaining('b: check'), count: 1 }],
    },
    {
      ...of(2),
      stepType: 'template',
      stepName: 'c: never',
      stepConfig: steps[2]?.config,
      status: 'skipped',
      outputPreview: null,
      inputVariables: { greeting: 'hello thing-0' },
    },
    {
      ...of(3),
      stepType: 'prompt',
      stepName: 'a: ask',
      stepConfig: steps[3]?.config,
      status: 'completed',
      outputPreview: 'You said: hello thing-0!',
      inputVariables: { greeting: 'hello thing-0' },
      resolvedPrompt: 'hello thing-0!',
      modelUsed: 'generic-openai/any',
      promptTokens: 4,
      completionTokens: 6,
      totalTokens: 10,
    },
  ]);
});

test('a preview is the first 1,000 characters of the output', async () => {
  const { data } = await page(`recordId=${records[1]?.id}&stepId=${flow.flowSteps[1]?.id}&limit=1`);
  expect(data[0].outputPreview).toBe('x'.repeat(1_000));
});

test('each filter narrows the list to its matches, and filters combine', async () => {
  const [record, other] = records;
  expect(valuesOf(await every(`recordId=${record?.id}`), 'recordId')).toEqual([record?.id]);
  expect(await every(`recordId=${record?.id}`)).toHaveLength(8);
  expect(valuesOf(await every(`batchId=${batchIds[1]}`), 'batchExecutionId')).toEqual([batchIds[1]]);
  expect(await every(`batchId=${batchIds[1]}`)).toHaveLength(recordCount * 4);
  const stepId = flow.flowSteps[3]?.id;
  expect(valuesOf(await every(`stepId=${stepId}`), 'stepName')).toEqual(['a: ask']);
  expect(await every(`stepId=${stepId}`)).toHaveLength(recordCount * 2);
  expect(valuesOf(await every('status=failed'), 'stepName')).toEqual(['b: check']);
  expect(await every('status=failed')).toHaveLength((recordCount / 3) * 2);
  expect(await every('status=skipped')).toHaveLength(recordCount * 2);
  expect(await every('status=completed')).toHaveLength(
    recordCount * 8 - recordCount * 2 - (recordCount / 3) * 2,
  );
  for (const status of ['pending', 'running']) expect(await every(`status=${status}`)).toEqual([]);
  const one = await every(`recordId=${other?.id}&batchId=${batchIds[0]}&stepId=${stepId}&status=completed`);
  expect(one).toMatchObject([{ recordName: other?.name, stepName: 'a: ask' }]);
});

test('a filter without matches returns an empty list: an unknown record, batch or step', async () => {
  for (const query of [`recordId=${unknown('record')}`, `batchId=${unknown('batch')}`, 'stepId=none']) {
    expect(await page(query)).toEqual({
      data: [],
      pagination: { limit: 50, offset: 0, returned: 0, hasMore: false },
    });
  }
});

test('from and to limit the creation time, both inclusive', async () => {
  const [early, late] = [await every(`to=${between}`), await every(`from=${between}`)];
  expect(valuesOf(early, 'batchExecutionId')).toEqual([batchIds[0]]);
  expect(valuesOf(late, 'batchExecutionId')).toEqual([batchIds[1]]);
  expect(early.length + late.length).toBe(2 * recordCount * 4);
  const at = late.at(-1)?.createdAt;
  const atOnce = await every(`from=${at}&to=${at}`);
  expect(valuesOf(atOnce, 'createdAt')).toEqual([at]);
  expect(idsOf(atOnce)).toContain(late.at(-1)?.id);
  expect(await every('from=2100-01-01T00:00:00%2B02:00')).toEqual([]);
  expect(await every(`from=${between}&to=2000-01-01T00:00:00Z`)).toEqual([]);
  expect(await every('from=1900-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')).toHaveLength(2 * recordCount * 4);
});

test('the ascending list by creation time is the descending one reversed', async () => {
  const descending = await every('sortBy=createdAt&sortOrder=desc');
  expect(idsOf(await every('sortOrder=asc'))).toEqual(idsOf(descending).toReversed());
  expect(idsOf(await every())).toEqual(idsOf(descending));
});

test.each(['startedAt', 'completedAt', 'durationMs', 'order', 'status', 'stepName'])(
  'sortBy=%s sorts in both directions over all pages',
  async (sortBy) => {
    const sorted = (values: unknown[]) =>
      values.toSorted((a, b) => ((a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0));
    for (const sortOrder of ['asc', 'desc']) {
      const rows = await every(`sortBy=${sortBy}&sortOrder=${sortOrder}`);
      expect(new Set(idsOf(rows)).size).toBe(2 * recordCount * 4);
      const values = rows.map((row) => row[sortBy]);
      expect(values).toEqual(sortOrder === 'asc' ? sorted(values) : sorted(values).toReversed());
    }
  },
);

test.each(['', 'sortOrder=asc', 'sortBy=status', 'status=completed&sortBy=durationMs'])(
  'pages of any size neither lose nor repeat a result (%s)',
  async (query) => {
    const whole = idsOf(await every(query));
    for (const limit of [33, 100]) expect(idsOf(await every(query, limit))).toEqual(whole);
  },
);

test('the pagination object describes the page', async () => {
  const total = 2 * recordCount * 4;
  const pagination = async (query: string) => (await page(query)).pagination;
  expect(await pagination('')).toEqual({ limit: 50, offset: 0, returned: 50, hasMore: true });
  expect(await pagination(`limit=10&offset=${total - 10}`)).toMatchObject({ returned: 10, hasMore: false });
  expect(await pagination(`limit=10&offset=${total - 3}`)).toMatchObject({ returned: 3, hasMore: false });
  expect(await pagination(`limit=10&offset=${total - 11}`)).toMatchObject({ returned: 10, hasMore: true });
  expect(await pagination(`offset=${total}`)).toMatchObject({ returned: 0, hasMore: false });
});

test.each([
  ...badStepResultQueries,
  ['recordId=record_x', 'recordId'] as const,
  [`stepId=${'x'.repeat(129)}`, 'stepId'] as const,
])('400 for %s names the parameter', async (query, parameter) => {
  const { details } = await expectStatus(400, tenant.call('GET', `${path()}?${query}`));
  expect(details).toMatchObject([{ path: parameter }]);
});

test('404 for an unknown flow and another tenant’s; 400 for a malformed id', async () => {
  const read = (id: string) => tenant.call('GET', `/v1/flows/${id}/step-results`);
  const missing = await expectStatus(404, read(unknown('flow')));
  expect(missing).toEqual(notFoundBody('Flow'));
  expect(await expectStatus(404, read((await createFlow(await newTenant())).id))).toEqual(missing);
  await expectStatus(400, read('7'));
});
