import { beforeAll, expect, test } from 'vitest';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import { plannedBatch, runOnce } from '../../support/flows/batches.ts';
import {
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

interface Row {
  [field: string]: unknown;
  id: string;
}
const unknown = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
const prompt = { type: 'prompt', name: 'Ask it', config: { model: 'generic-openai/any', userPrompt: 'hi' } };
const failing = { type: 'transform-data', name: 'Fail', config: { script: 'throw new Error("no")' } };

let tenant: Tenant;
let recordId: string;
let otherId: string;
let flows: { saying: Flow; asking: Flow; failing: Flow };
type Flow = { id: string; flowSteps: { id: string }[] };
let between: string;

const path = (id = recordId) => `/v1/records/${id}/results`;
const list = (query = '', id = recordId) => expectStatus(200, tenant.call('GET', `${path(id)}?${query}`));
const rows = async (query = '', id?: string): Promise<Row[]> => (await list(query, id)).data;
const flowsOf = async (query: string) => (await rows(query)).map(({ flowId }) => flowId);

beforeAll(async () => {
  tenant = await newTenant();
  const [record, other] = await createRecords(tenant, 'thing', 2);
  [recordId, otherId] = [record?.id ?? '', other?.id ?? ''];
  flows = {
    saying: await publishedFlow(tenant, [template('say {{ _record.name }}')]),
    asking: await publishedFlow(tenant, [prompt, template('after')]),
    failing: await publishedFlow(tenant, [template('before', 'a'), prompt, failing]),
  };
  const { saying, asking } = flows;
  for (const flow of [saying, saying, asking, flows.failing]) {
    if (flow === asking) between = new Date().toISOString();
    await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  }
});

test('each run of a flow on the record is a row with its final output, newest first; other records’ runs are left out', async () => {
  const { data, pagination } = await list();
  const [failed, asked, ...said] = data;
  const common = { recordId, flowName: 'A flow', createdAt: expect.any(String) };
  const id = expect.stringMatching(/^exec_/);
  const none = { promptId: null, promptName: null };
  expect(said).toEqual([
    { ...common, ...none, id, flowId: flows.saying.id, status: 'completed', result: 'say thing-0' },
    { ...common, ...none, id, flowId: flows.saying.id, status: 'completed', result: 'say thing-0' },
  ]);
  const promptId = flows.asking.flowSteps[0]?.id;
  expect(asked).toEqual({
    ...common,
    id,
    flowId: flows.asking.id,
    status: 'completed',
    result: 'after',
    promptId,
    promptName: 'Ask it',
  });
  expect(failed).toMatchObject({ flowId: flows.failing.id, status: 'failed', result: 'You said: hi' });
  expect(new Set(data.map((row: Row) => row.id)).size).toBe(4);
  expect(pagination).toEqual({
    page: 1,
    limit: 50,
    hasMore: false,
    hasPrev: false,
    hasNextPage: false,
    hasPrevPage: false,
  });
  expect((await rows('', otherId)).map(({ result }) => result)).toContain('say thing-1');
  expect(await rows('', otherId)).toHaveLength(4);
});

test('the id of a result is that of its execution, as in step results', async () => {
  const ids = (await rows()).map(({ id }) => id);
  const steps = await expectStatus(200, tenant.call('GET', `/v1/records/${recordId}/step-results?limit=100`));
  const executions = steps.data.map((step: { executionSessionId: string }) => step.executionSessionId);
  expect(new Set(executions)).toEqual(new Set(ids));
});

test('each filter narrows the list, and filters combine', async () => {
  const { saying, asking, failing } = flows;
  expect(await flowsOf(`flowId=${saying.id}`)).toEqual([saying.id, saying.id]);
  expect(await flowsOf('status=failed')).toEqual([failing.id]);
  expect(await flowsOf('status=completed')).toEqual([asking.id, saying.id, saying.id]);
  expect(await flowsOf(`promptId=${asking.flowSteps[0]?.id}`)).toEqual([asking.id]);
  expect(await flowsOf(`from=${between}`)).toEqual([failing.id, asking.id]);
  expect(await flowsOf(`to=${between}`)).toEqual([saying.id, saying.id]);
  expect(await flowsOf(`status=failed&flowId=${saying.id}`)).toEqual([]);
  expect(await flowsOf(`flowId=${unknown('flow')}`)).toEqual([]);
  expect(await flowsOf('promptId=none')).toEqual([]);
});

test('sorts by creation time and by status, in both directions', async () => {
  const newest = await flowsOf('');
  expect(await flowsOf('sortOrder=asc')).toEqual(newest.toReversed());
  const statuses = async (order: string) =>
    (await rows(`sortBy=status&sortOrder=${order}`)).map(({ status }) => status);
  const ascending = ['completed', 'completed', 'completed', 'failed'];
  expect(await statuses('asc')).toEqual(ascending);
  expect(await statuses('desc')).toEqual(ascending.toReversed());
});

test('pages of any size add up to the list, and counts are returned on request', async () => {
  const all = (await rows()).map(({ id }) => id);
  for (const limit of [1, 3]) {
    const found: string[] = [];
    for (let page = 1, more = true; more; page++) {
      const { data, pagination } = await list(`limit=${limit}&page=${page}&includeCount=true`);
      found.push(...data.map(({ id }: Row) => id));
      more = pagination.hasMore;
      expect(pagination).toEqual({
        page,
        limit,
        hasMore: page * limit < 4,
        hasNextPage: page * limit < 4,
        hasPrev: page > 1,
        hasPrevPage: page > 1,
        total: 4,
        totalPages: Math.ceil(4 / limit),
        countIsMinimum: false,
      });
    }
    expect(found).toEqual(all);
  }
  expect((await list('page=7')).pagination).toMatchObject({ page: 7, hasMore: false, hasPrev: true });
  expect(await rows('page=7')).toEqual([]);
});

test('a suspended run has no result until it ends', async () => {
  const steps = [template('x'), { type: 'wait-until' as const, name: 'wait', config: { delayMs: 600_000 } }];
  const batch = await plannedBatch({ steps });
  const count = async () =>
    (await expectStatus(200, batch.call('GET', path(batch.records[0]?.id)))).data.length;
  await runOnce(batch.scope, batch.message());
  expect(await count()).toBe(0);
  const later = { ...batch.scope, now: () => new Date(Date.now() + 600_000) };
  await runOnce(later, batch.message());
  expect(await count()).toBe(1);
});

test('large outputs are read from where they are stored, and what does not fit the response is left out', async () => {
  const steps = [{ ...template('{{ _record.metadata.text }}'.repeat(10)), name: 'large' }];
  const batch = await plannedBatch({ steps, metadata: { text: 'x'.repeat(200_000) } });
  const id = batch.records[0]?.id ?? '';
  for (const n of [1, 2, 3]) {
    const runId = `exec_${'0'.repeat(25)}${n}`;
    await runOnce(batch.scope, { ...batch.message(), runId });
  }
  const { data } = await expectStatus(200, batch.call('GET', path(id)));
  expect(data.map(({ result }: Row) => (result as string | undefined)?.length)).toEqual([
    2_000_000,
    2_000_000,
    undefined,
  ]);
  const last = await expectStatus(200, batch.call('GET', `${path(id)}?limit=1&page=3`));
  expect(last.data[0].result).toHaveLength(2_000_000);
});

test('results of a deleted flow disappear immediately', async () => {
  const mine = await newTenant();
  const [record] = await createRecords(mine, 'thing', 1);
  const flow = await publishedFlow(mine);
  await expectStatus(200, runFlowOnRecords(mine, flow.id, 'thing'));
  const read = async () => (await expectStatus(200, mine.call('GET', path(record?.id)))).data;
  expect(await read()).toHaveLength(1);
  await expectStatus(204, mine.call('DELETE', `/v1/flows/${flow.id}`));
  expect(await read()).toEqual([]);
});

test('a record deleted before its run ended has no results', async () => {
  const batch = await plannedBatch({ steps: [template('x')] });
  const id = batch.records[0]?.id ?? '';
  await recordStore(batch.scope).remove(id);
  await runOnce(batch.scope, batch.message());
  await expectStatus(404, batch.call('GET', path(id)));
});

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=abc', 'limit'],
  ['page=0', 'page'],
  ['page=-1', 'page'],
  ['page=10001', 'page'],
  ['page=1.5', 'page'],
  ['status=done', 'status'],
  ['status=running', 'status'],
  ['flowId=flow_x', 'flowId'],
  ['from=yesterday', 'from'],
  ['to=2026-13-01T00:00:00Z', 'to'],
  ['sortBy=cost', 'sortBy'],
  ['sortOrder=up', 'sortOrder'],
  ['includeCount=yes', 'includeCount'],
])('400 for %s names the parameter', async (query, parameter) => {
  const { details } = await expectStatus(400, tenant.call('GET', `${path()}?${query}`));
  expect(details).toMatchObject([{ path: parameter }]);
});

test('404 for an unknown record and another tenant’s; 400 for a malformed id', async () => {
  const missing = await expectStatus(404, tenant.call('GET', path(unknown('record'))));
  expect(missing).toEqual(notFoundBody('Record'));
  const [foreign] = await createRecords(await newTenant(), 'thing', 1);
  expect(await expectStatus(404, tenant.call('GET', path(foreign?.id)))).toEqual(missing);
  await expectStatus(400, tenant.call('GET', path('record_7')));
});
