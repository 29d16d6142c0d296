import { expect, test } from 'vitest';
import {
  createFlow,
  createRecords,
  expectStatus,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

const dispatch = ({ call }: Caller, body: object, options: object = {}) =>
  call('POST', '/v1/dispatch', { body: { ...body, options: { streamResponse: false, ...options } } });
const ran = (caller: Caller, body: object, options: object = {}) =>
  expectStatus(200, dispatch(caller, body, options));

const inline = (...steps: object[]) => ({ name: 'Inline', steps });
const prompt = (userPrompt: string, outputVariable?: string, model = 'generic-openai/any') => ({
  type: 'prompt',
  name: 'ask',
  config: { model, userPrompt, ...(outputVariable && { outputVariable }) },
});
const script = (code: string, outputVariable?: string) => ({
  type: 'transform-data',
  name: 'script',
  config: { script: code, ...(outputVariable && { outputVariable }) },
});

test('an inline flow runs on inputs, without a record, and returns the result of each step', async () => {
  const tenant = await newTenant();
  const answer = await ran(tenant, {
    flow: inline(script('people.length', 'count'), prompt('There are {{ count }}')),
    inputs: { people: ['Ada', 'Bob'] },
  });
  expect(answer).toMatchObject({
    success: true,
    status: 'completed',
    output: 'You said: There are 2',
    error: null,
    // The catalog has no price of the model.
    totalCost: null,
    executionId: expect.stringMatching(/^exec_/),
  });
  expect(answer.totalTokens.input).toBeGreaterThan(0);
  expect(answer.steps).toEqual([
    {
      id: expect.stringMatching(/^step_/),
      name: 'script',
      type: 'transform-data',
      path: '0',
      status: 'completed',
      output: 2,
      error: null,
      durationMs: expect.any(Number),
      modelUsed: null,
      promptTokens: null,
      completionTokens: null,
      totalTokens: null,
      estimatedCost: null,
    },
    expect.objectContaining({ path: '1', modelUsed: 'generic-openai/any', totalTokens: expect.any(Number) }),
  ]);
});

test('a stored flow runs on a stored record, and its step results are stored', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello {{ _record.name }}', 'greeting')]);
  const [record] = await createRecords(tenant, 'person', 1);
  const answer = await ran(tenant, { flow: { id: flow.id }, record: { id: record?.id } });
  expect(answer.output).toBe('hello person-0');
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  expect(rows).toMatchObject([
    {
      executionSessionId: answer.executionId,
      recordId: record?.id,
      recordName: 'person-0',
      batchExecutionId: null,
      stepName: 'hello {{ _record.name }}',
      outputPreview: 'hello person-0',
    },
  ]);
  expect(await everyStepResult(tenant, `/v1/records/${record?.id}/step-results`)).toHaveLength(1);
  const { lastRunAt } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}`));
  expect(lastRunAt).toMatch(/Z$/);
});

test('a stored flow that runs without a record stores its results under the flow', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('hello')]);
  await ran(tenant, { flow: { id: flow.id } });
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  expect(rows).toMatchObject([{ recordId: null, recordName: null, outputPreview: 'hello' }]);
});

test('storeResults false stores nothing', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  await ran(tenant, { flow: { id: flow.id } }, { storeResults: false });
  expect(await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`)).toEqual([]);
});

test('a virtual record is visible only to its run', async () => {
  const tenant = await newTenant();
  const record = { type: 'person', name: 'Ada', metadata: { city: 'London' } };
  const answer = await ran(tenant, {
    flow: inline(template('{{ _record.name }} of {{ _record.metadata.city }} {{ _record.id }}')),
    record,
  });
  expect(answer.output).toBe('Ada of London ');
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/records'));
  expect(data).toEqual([]);
});

test('recordMode create saves the record, existing finds it; an existing type and name is a 409', async () => {
  const tenant = await newTenant();
  const record = { type: 'person', name: 'Ada', metadata: { city: 'London' } };
  const flow = inline(template('{{ _record.id }}'));
  const made = await ran(tenant, { flow, record }, { recordMode: 'create' });
  expect(made.output).toMatch(/^record_/);
  await expectStatus(409, dispatch(tenant, { flow, record }, { recordMode: 'create' }));
  const { type, name } = record;
  const found = await ran(tenant, { flow, record: { type, name } }, { recordMode: 'existing' });
  expect(found.output).toBe(made.output);
  await expectStatus(
    404,
    dispatch(tenant, { flow, record: { type, name: 'Bob' } }, { recordMode: 'existing' }),
  );
});

test('autoAppendMetadata merges the output variables into the record', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'person', 1);
  const flow = inline(script('2 + 2', 'sum'), template('x'));
  await ran(tenant, { flow, record: { id: record?.id } }, { autoAppendMetadata: true });
  const after = await expectStatus(200, tenant.call('GET', `/v1/records/${record?.id}`));
  expect(after.metadata).toEqual({ value: '0', sum: 4 });
});

test('flowMode create saves and publishes the flow', async () => {
  const tenant = await newTenant();
  await ran(tenant, { flow: { ...inline(template('hello')), name: 'Saved' } }, { flowMode: 'create' });
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/flows'));
  expect(data).toMatchObject([{ name: 'Saved' }]);
  const versions = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${data[0].id}`));
  expect(versions).toMatchObject({
    publishedVersionId: versions.versions[0].id,
    versions: [{ versionType: 'published' }],
  });
});

test('messages are a variable, and a prompt can continue from them', async () => {
  const tenant = await newTenant();
  const flow = inline({
    type: 'prompt',
    name: 'ask',
    config: { model: 'generic-openai/any', userPrompt: 'Go on', previousMessages: '{{messages}}' },
  });
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
  const { output, totalTokens } = await ran(tenant, { flow, messages });
  expect(output).toBe('You said: Go on');
  expect(totalTokens.input).toBe(2 + 2);
});

test('modelOverride replaces the model of every prompt, in branches too', async () => {
  const tenant = await newTenant();
  const branch = { type: 'conditional', name: 'if', config: { condition: 'true', trueSteps: [prompt('b')] } };
  const stored = await publishedFlow(tenant, [prompt('a', undefined, 'generic-openai/broken'), branch]);
  const options = { modelOverride: 'generic-openai/other' };
  const answer = await ran(tenant, { flow: { id: stored.id } }, options);
  expect(answer.steps.flatMap(({ modelUsed }: { modelUsed: string | null }) => modelUsed ?? [])).toEqual([
    'generic-openai/other',
    'generic-openai/other',
  ]);
  const rows = await everyStepResult(tenant, `/v1/flows/${stored.id}/step-results`);
  expect(rows.map(({ stepName }) => stepName).toSorted()).toEqual(['ask', 'ask', 'if']);
});

test('steps sent with a stored flow’s id replace its own for the run, as a virtual version stored once', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('own')]);
  for (const _ of [1, 2]) {
    const { output } = await ran(tenant, { flow: { id: flow.id, steps: [template('instead')] } });
    expect(output).toBe('instead');
  }
  const path = `/v1/flow-versions/${flow.id}`;
  const { versions } = await expectStatus(200, tenant.call('GET', `${path}?type=virtual`));
  expect(versions).toMatchObject([{ versionType: 'virtual', stepCount: 1 }]);
  const publishing = tenant.call('POST', `${path}/publish`, { body: { versionId: versions[0].id } });
  await expectStatus(400, publishing);
  expect((await ran(tenant, { flow: { id: flow.id } })).output).toBe('own');
});

test('a live key runs the published version, a test key the draft', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('published')]);
  const draft = { flowSteps: [template('draft')] };
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: draft }));
  const live = await newKey(tenant, { permissions: ['FLOWS:EXECUTE'] });
  const testing = await newKey(tenant, { permissions: ['FLOWS:EXECUTE'], environment: 'test' });
  expect((await ran(live, { flow: { id: flow.id } })).output).toBe('published');
  for (const _ of [1, 2]) expect((await ran(testing, { flow: { id: flow.id } })).output).toBe('draft');
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}?type=test`));
  expect(versions).toHaveLength(1);
});

test('a failing step ends the run and returns the reason', async () => {
  const tenant = await newTenant();
  const flow = inline(template('before'), script('throw new Error("no luck")'), template('after'));
  const answer = await ran(tenant, { flow });
  expect(answer).toMatchObject({ success: false, status: 'failed', output: 'before' });
  expect(answer.error).toContain('no luck');
  expect(answer.steps.map(({ status }: { status: string }) => status)).toEqual(['completed', 'failed']);
});

test('an output that is nested too deeply fails its step with the maximum depth', async () => {
  const tenant = await newTenant();
  const nested = (levels: number) => script(`JSON.parse("[".repeat(${levels}) + "]".repeat(${levels}))`, 'v');
  const { output } = await ran(tenant, { flow: inline(nested(110)) });
  expect(JSON.stringify(output)).toBe('['.repeat(110) + ']'.repeat(110));
  for (const levels of [111, 1_000, 5_000]) {
    const answer = await ran(tenant, { flow: inline(nested(levels), template('{{ v }}')) });
    expect(answer).toMatchObject({ success: false, steps: [{ status: 'failed' }] });
    if (levels < 5_000)
      expect(answer.error).toBe('The output is nested more than 110 levels deep; return a flatter value');
  }
});

test('debugMode returns the resolved prompts, which are otherwise omitted', async () => {
  const tenant = await newTenant();
  const body = { flow: inline(prompt('Hi {{ who }}')), inputs: { who: 'Ada' } };
  expect((await ran(tenant, body, { debugMode: true })).steps[0].resolvedPrompt).toBe('Hi Ada');
  expect((await ran(tenant, body)).steps[0]).not.toHaveProperty('resolvedPrompt');
});

const manyInputs = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`v${n}`, 1]));

test.each([
  ['neither flow nor record', {}, {}, 'flow'],
  ['a member that is not known', { flow: inline(template('x')), agent: {} }, {}, 'agent'],
  ['an option that is not known', { flow: inline(template('x')) }, { fast: true }, 'options.fast'],
  ['a wrong config', { flow: inline({ ...template('x'), config: {} }) }, {}, 'flow.steps.0.config.template'],
  ['a garbled id', { flow: { id: 'flow_1' } }, {}, 'flow.id'],
  [
    'an input with a name that is taken',
    { flow: inline(template('x')), inputs: { _flow: 1 } },
    {},
    'inputs._flow',
  ],
  ['more than 1,000 inputs', { flow: inline(template('x')), inputs: manyInputs }, {}, 'inputs'],
  [
    'flowMode create without a name',
    { flow: { steps: [template('x')] } },
    { flowMode: 'create' },
    'flow.name',
  ],
  ['flowMode existing without an id', { flow: inline(template('x')) }, { flowMode: 'existing' }, 'flow.id'],
  [
    'a stored record with more than its id',
    { flow: inline(template('x')), record: { id: `record_${'0'.repeat(26)}`, name: 'x' } },
    {},
    'record',
  ],
  [
    'recordMode create without a type',
    { flow: inline(template('x')), record: { name: 'x' } },
    { recordMode: 'create' },
    'record.type',
  ],
  [
    'metadata to be kept by nothing',
    { flow: inline(template('x')) },
    { autoAppendMetadata: true },
    'options.autoAppendMetadata',
  ],
  [
    'results to be kept by nothing',
    { flow: inline(template('x')) },
    { storeResults: true },
    'options.storeResults',
  ],
  [
    'metadata of 257 KB',
    { flow: inline(template('x')), record: { metadata: { a: 'x'.repeat(257 * 1024) } } },
    {},
    'record.metadata',
  ],
  [
    'a message without a role',
    { flow: inline(template('x')), messages: [{ content: 'x' }] },
    {},
    'messages.0.role',
  ],
])('400 with the path for %s', async (_what, body, options, path) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(400, dispatch(tenant, body, options));
  expect(details.map((detail: { path: string }) => detail.path)).toContain(path);
});

test('422 for a run without a usable flow', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'person', 1);
  const empty = await createFlow(tenant, []);
  for (const body of [
    { record: { id: record?.id } },
    { flow: {} },
    { flow: { name: 'Nothing', steps: [] } },
    { flow: { id: empty.id } },
  ]) {
    await expectStatus(422, dispatch(tenant, body));
  }
});

test('404 for unknown flows and records, and another tenant’s', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const theirs = await publishedFlow(other);
  const [record] = await createRecords(other, 'person', 1);
  const flow = inline(template('x'));
  for (const id of [`flow_${'0'.repeat(26)}`, theirs.id]) {
    const body = await expectStatus(404, dispatch(tenant, { flow: { id } }));
    expect(body).toEqual(notFoundBody('Flow'));
  }
  for (const id of [`record_${'0'.repeat(26)}`, record?.id]) {
    const body = await expectStatus(404, dispatch(tenant, { flow, record: { id } }));
    expect(body).toEqual(notFoundBody('Record'));
  }
});

test('a key with permission only to run flows cannot save, read or write anything through dispatch', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'person', 2);
  const stored = { id: (await publishedFlow(tenant)).id };
  const flow = inline(template('x'));
  const upsert = {
    type: 'upsert-record',
    name: 'u',
    config: { recordType: 'x', sourceVariable: 'v', recordName: 'n' },
  };
  const nested = { type: 'conditional', name: 'if', config: { condition: 'true', falseSteps: [upsert] } };
  const takesSecret = {
    type: 'api-call',
    name: 'call',
    enabled: false,
    config: { http: { url: 'https://example.com/?key={{ secret:HUSH | url_encode }}' } },
  };
  const there = { type: 'person', name: 'person-1' };
  const executesOnly = await newKey(tenant, { permissions: ['FLOWS:EXECUTE'] });
  for (const [permission, body, options] of [
    ['FLOWS:WRITE', { flow }, { flowMode: 'create' }],
    ['FLOWS:WRITE', { flow: { ...flow, name: 'Another' } }, { flowMode: 'upsert' }],
    ['FLOWS:WRITE', { flow: inline(takesSecret, template('x')) }, {}],
    ['RECORDS:WRITE', { flow, record: { type: 't', name: 'n' } }, { recordMode: 'create' }],
    ['RECORDS:WRITE', { flow: stored, record: { id: record?.id } }, { autoAppendMetadata: true }],
    ['RECORDS:WRITE', { flow: inline(nested), inputs: { v: {} } }, {}],
    ['RECORDS:READ', { flow, record: { id: record?.id } }, {}],
    ['RECORDS:READ', { flow, record: there }, { recordMode: 'existing' }],
  ] as const) {
    const refusal = await expectStatus(403, dispatch(executesOnly, body, options));
    expect(refusal.details).toBe(`Missing required permission: ${permission}`);
    await ran(await newKey(tenant, { permissions: ['FLOWS:EXECUTE', permission] }), body, options);
  }
  await ran(executesOnly, { flow });
  await ran(executesOnly, { flow: stored, record: { id: record?.id } });
});
