import { expect, test } from 'vitest';
import { withRecords } from '../../support/data/records.ts';
import {
  createFlow,
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknownFlow = `flow_${'0'.repeat(26)}`;

const prompt = (model: string, more: object = {}) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt: 'Greet {{ _record.name }}', ...more },
});

/** Fails the records whose number, counted from 0, is in the list. */
const failFor = (...numbers: number[]) => ({
  type: 'transform-data',
  name: 'check',
  config: {
    script: `if ([${numbers}].includes(Number(_record.metadata.value))) throw new Error('not this one'); return 1`,
  },
});

const resultsOf = async ({ call }: Tenant, flowId: string, query = 'sortOrder=asc&limit=100') =>
  (await expectStatus(200, call('GET', `/v1/flows/${flowId}/step-results?${query}`))).data;

test('200 with a result for each record for ten records or fewer', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello {{ _record.name }}'), prompt('any')]);
  const records = await createRecords(tenant, 'person', 10);
  const answer = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'person'));
  expect(answer).toEqual({
    success: true,
    batchId: expect.stringMatching(/^batch_[0-9a-z]{26}$/),
    flowId: flow.id,
    recordType: 'person',
    recordCount: 10,
    status: 'completed',
    executedImmediately: true,
    successCount: 10,
    failureCount: 0,
    completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    results: expect.any(Array),
  });
  expect(answer.results).toHaveLength(10);
  for (const record of records) {
    expect(answer.results).toContainEqual({
      recordId: record.id,
      recordName: record.name,
      success: true,
      executionId: expect.stringMatching(/^exec_/),
      executionTime: expect.any(Number),
      contextSteps: 2,
      promptsExecuted: 1,
    });
  }
  expect((await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}`))).lastRunAt).not.toBeNull();
});

test('a batch runs on all records, although their long names end pages of the index early', async () => {
  const names = Array.from({ length: 1_100 }, (_, n) => `${n} ${'x'.repeat(495)}`);
  const tenant = await withRecords(names.map((name) => ({ type: 'long', name, metadata: {} })));
  const flow = await publishedFlow(tenant, [template('x')]);
  const started = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'long'));
  expect(started.recordCount).toBe(1_100);
  const { status, totalRecords, successCount } = await finishedBatch(tenant, started.batchId);
  expect({ status, totalRecords, successCount }).toEqual({
    status: 'completed',
    totalRecords: 1_100,
    successCount: 1_100,
  });
});

test('202 for more than ten records; all of them run and are counted exactly', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello {{ _record.name }}'), failFor(3, 17)]);
  const records = await createRecords(tenant, 'person', 25);
  const answer = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'person'));
  expect(answer).toEqual({
    success: true,
    batchId: expect.stringMatching(/^batch_/),
    flowId: flow.id,
    recordType: 'person',
    recordCount: 25,
    status: 'scheduled',
    message: expect.stringContaining(answer.batchId),
    scheduledAt: expect.stringMatching(/Z$/),
    records: expect.any(Array),
  });
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  expect(answer.records.toSorted(byId)).toEqual(
    records.map(({ id, name }) => ({ id, name, type: 'person' })).toSorted(byId),
  );
  expect(await finishedBatch(tenant, answer.batchId)).toMatchObject({
    status: 'completed',
    totalRecords: 25,
    processedRecords: 25,
    failedRecords: 2,
    successCount: 23,
    progress: 100,
    completedAt: expect.any(String),
    error: null,
  });
  const results = await resultsOf(tenant, flow.id);
  expect(results).toHaveLength(50);
  expect(
    new Set(results.map(({ executionSessionId }: { executionSessionId: string }) => executionSessionId)).size,
  ).toBe(25);
});

test('a failing record stops only itself', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('first'), failFor(1), template('last')]);
  const records = await createRecords(tenant, 'thing', 3);
  const { results, ...answer } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect(answer).toMatchObject({ status: 'completed', recordCount: 3, successCount: 2, failureCount: 1 });
  const resultFor = (n: number) =>
    results.find(({ recordId }: { recordId: string }) => recordId === records[n]?.id);
  expect(resultFor(0)).toMatchObject({ success: true, contextSteps: 3 });
  expect(resultFor(1)).toMatchObject({
    success: false,
    contextSteps: 2,
    error: expect.stringContaining('not this one'),
  });
  const stored = await resultsOf(tenant, flow.id, `recordId=${records[1]?.id}&sortOrder=asc`);
  expect(stored.map(({ status }: { status: string }) => status)).toEqual(['completed', 'failed']);
  expect(stored[1].errorMessage).toContain('not this one');
});

test('a prompt’s result contains the prompt, the model, the tokens and the cost in decimals', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [
    prompt('gpt-4o-mini', { outputVariable: 'greeting' }),
    prompt('house-model'),
  ]);
  await createRecords(tenant, 'Ada', 1);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'Ada'));
  const [priced, unpriced] = await resultsOf(tenant, flow.id);
  const [asked, said] = ['Greet Ada-0', 'You said: Greet Ada-0'];
  const promptTokens = Math.ceil(asked.length / 4);
  const completionTokens = Math.ceil(said.length / 4);
  expect(priced).toMatchObject({
    status: 'completed',
    resolvedPrompt: asked,
    outputPreview: said,
    modelUsed: 'generic-openai/gpt-4o-mini',
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    errorMessage: null,
    retryCount: 0,
  });
  // USD 0.15 and 0.60 a million tokens: 3 * 0.15 + 6 * 0.6 = 4.05 millionths.
  expect(priced.estimatedCost).toBe('0.00000405');
  expect(unpriced).toMatchObject({
    modelUsed: 'generic-openai/house-model',
    totalTokens: 9,
    estimatedCost: null,
  });
  expect(unpriced.inputVariables).toEqual({ greeting: said });
});

test.concurrent.each([
  ['breaks down', 'broken', {}, 'generic-openai/broken answered 500: The model broke down', 2],
  ['refuses', 'refusing', {}, 'generic-openai/refusing answered 400: The prompt was refused', 0],
  ['answers nonsense', 'nonsense', {}, 'generic-openai/nonsense returned an unusable response', 2],
  ['hangs', 'hanging', { timeoutMs: 1_000 }, 'generic-openai/hanging did not answer in time', 2],
  ['answers no JSON', 'any', { responseFormat: 'json' }, 'The model did not return JSON: You said', 2],
])(
  'a model that %s fails its step with the reason; the other records continue and the counts are right',
  async (_what, model, more, message, retryCount) => {
    const tenant = await newTenant();
    const flow = await publishedFlow(tenant, [
      { ...prompt(model, more), when: '_record.metadata.value === "0"' },
      template('after'),
    ]);
    const records = await createRecords(tenant, 'thing', 2);
    const { results, ...answer } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
    expect(answer).toMatchObject({ status: 'completed', successCount: 1, failureCount: 1 });
    expect(results.find(({ success }: { success: boolean }) => !success)).toMatchObject({
      recordId: records[0]?.id,
      error: expect.stringContaining(message),
    });
    const [failed, ...rest] = await resultsOf(tenant, flow.id, `recordId=${records[0]?.id}`);
    expect(rest).toEqual([]);
    expect(failed).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining(message),
      retryCount,
    });
    expect(await finishedBatch(tenant, answer.batchId)).toMatchObject({
      status: 'completed',
      processedRecords: 2,
      failedRecords: 1,
    });
  },
);

test('a batch fails if all its records fail', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [failFor(0, 1)]);
  await createRecords(tenant, 'thing', 2);
  const answer = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect(answer).toMatchObject({ successCount: 0, failureCount: 2 });
  expect(await finishedBatch(tenant, answer.batchId)).toMatchObject({ status: 'failed', failedRecords: 2 });
});

test('400 for a type without records, and nothing is stored: no version, no run', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  await createRecords(tenant, 'other', 1);
  const body = await expectStatus(400, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect(body).toMatchObject({
    error: 'Validation error',
    details: [{ path: 'recordType', code: 'NO_RECORDS', message: expect.stringContaining('thing') }],
  });
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  expect(versions).toMatchObject([{ versionType: 'draft' }]);
  expect((await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}`))).lastRunAt).toBeNull();
});

test('404 for an unknown flow, and an identical response for another tenant’s', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  await createRecords(tenant, 'thing', 1);
  const unknown = await expectStatus(404, runFlowOnRecords(tenant, unknownFlow, 'thing'));
  expect(unknown).toEqual(notFoundBody('Flow'));
  expect(await expectStatus(404, runFlowOnRecords(tenant, (await createFlow(other)).id, 'thing'))).toEqual(
    unknown,
  );
});

test('another tenant’s records of the same type do not run', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const flow = await createFlow(tenant);
  await createRecords(other, 'thing', 2);
  await createRecords(tenant, 'thing', 1);
  expect(await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'))).toMatchObject({
    recordCount: 1,
  });
});

test.each([
  ['no recordType', {}, 'recordType', 'MISSING_REQUIRED_FIELD'],
  ['an empty one', { recordType: '' }, 'recordType', 'TOO_SMALL'],
  ['one of another type', { recordType: 7 }, 'recordType', 'INVALID_TYPE'],
  ['an unknown member', { recordType: 'a', recordIds: [] }, 'recordIds', 'UNKNOWN_MEMBER'],
])('400 for %s', async (_what, body, path, code) => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const answer = await expectStatus(400, tenant.call('POST', `/v1/flows/${id}/run-on-record-type`, { body }));
  expect(answer.details).toMatchObject([{ path, code }]);
});

test('400 for a malformed flow id; 403 without FLOWS:EXECUTE', async () => {
  const tenant = await newTenant();
  expect((await runFlowOnRecords(tenant, 'flow_x', 'thing')).status).toBe(400);
  const { call } = await newKey(tenant, { permissions: ['FLOWS:READ', 'FLOWS:WRITE'] });
  const { id } = await createFlow(tenant);
  expect(await expectStatus(403, runFlowOnRecords({ call } as Tenant, id, 'thing'))).toEqual({
    error: 'Forbidden',
    details: 'Missing required permission: FLOWS:EXECUTE',
  });
});

test('a test key runs the draft; a live key and a session run the published version', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('published')]);
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [template('draft')] } }),
  );
  await createRecords(tenant, 'thing', 1);
  const permissions = ['FLOWS:EXECUTE'];
  const [live, trial] = [
    await newKey(tenant, { permissions }),
    await newKey(tenant, { permissions, environment: 'test' }),
  ];
  const ran = async ({ call }: Pick<Tenant, 'call'>) => {
    const { batchId } = await expectStatus(200, runFlowOnRecords({ call } as Tenant, flow.id, 'thing'));
    const [result] = await resultsOf(tenant, flow.id, `batchId=${batchId}`);
    return { output: result.outputPreview, versionId: result.flowVersionId };
  };
  const { publishedVersionId } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  expect(await ran(live)).toEqual({ output: 'published', versionId: publishedVersionId });
  expect(await ran(tenant)).toEqual({ output: 'published', versionId: publishedVersionId });
  const trialRun = await ran(trial);
  expect(trialRun.output).toBe('draft');
  const version = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${flow.id}/${trialRun.versionId}`),
  );
  expect(version).toMatchObject({ versionType: 'test', flowConfig: { steps: [{ name: 'draft' }] } });
  await expectStatus(200, tenant.call('POST', `/v1/flows/${flow.id}/publish`));
  expect((await ran(trial)).output).toBe('draft');
});

test('the draft runs if nothing is published, and editing it does not change the run', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant, [template('as it was')]);
  await createRecords(tenant, 'thing', 1);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps: [template('edited')] } }),
  );
  expect(await resultsOf(tenant, flow.id)).toMatchObject([
    { outputPreview: 'as it was', stepName: 'as it was', stepConfig: { template: 'as it was' } },
  ]);
});

test('a flow that upserts records of the type it runs on terminates', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [
    {
      type: 'set-variable',
      name: 'copy',
      config: { variableName: 'copy', value: { name: 'copy of {{ _record.name }}' } },
    },
    { type: 'upsert-record', name: 'keep', config: { recordType: 'thing', sourceVariable: 'copy' } },
  ]);
  await createRecords(tenant, 'thing', 12);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect(await finishedBatch(tenant, batchId)).toMatchObject({
    totalRecords: 12,
    processedRecords: 12,
    failedRecords: 0,
  });
  const { pagination } = await expectStatus(
    200,
    tenant.call('GET', '/v1/records?type=thing&limit=1&includeCount=true'),
  );
  expect(pagination.totalCount).toBe(24);
});
