import { beforeAll, expect, test } from 'vitest';
import {
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { badStepResultQueries, everyStepResult, stepResultFields } from '../../support/flows/step-results.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknown = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
const stepsOfLong = 60;

let tenant: Tenant;
let recordId: string;
let otherId: string;
let long: { id: string };
let short: { id: string };
/** Of the long flow twice, then of the short one. */
let batchIds: string[];
let between: string;

const path = () => `/v1/records/${recordId}/step-results`;
const every = (query = '', limit?: number) => everyStepResult(tenant, path(), query, limit);
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

beforeAll(async () => {
  tenant = await newTenant();
  const [record, other] = await createRecords(tenant, 'thing', 2);
  [recordId, otherId] = [record?.id ?? '', other?.id ?? ''];
  const numbered = Array.from({ length: stepsOfLong }, (_, n) => ({
    ...template(`text ${n}`, `v${n}`),
    name: `step ${n % 7}`,
  }));
  long = await publishedFlow(tenant, numbered);
  short = await publishedFlow(tenant, [{ ...template('x'), when: 'false' }]);
  batchIds = [];
  for (const flow of [long, long, short]) {
    if (flow === short) between = new Date().toISOString();
    batchIds.push((await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'))).batchId);
  }
});

test('the list returns every result of the record once, of all flows, newest run first; none of another record', async () => {
  const rows = await every();
  expect(rows).toHaveLength(2 * stepsOfLong + 1);
  expect(new Set(idsOf(rows)).size).toBe(rows.length);
  expect(new Set(rows.map((row) => row.recordId))).toEqual(new Set([recordId]));
  expect([...new Set(rows.map((row) => row.batchExecutionId))]).toEqual(batchIds.toReversed());
  for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(stepResultFields);
  expect(idsOf(await everyStepResult(tenant, `/v1/records/${otherId}/step-results`))).toHaveLength(
    rows.length,
  );
});

test('the rows equal those in the flow’s list', async () => {
  const ofFlow = await everyStepResult(tenant, `/v1/flows/${long.id}/step-results`, `recordId=${recordId}`);
  expect(await every(`flowId=${long.id}`)).toEqual(ofFlow);
});

test('inputVariables grow step by step, also across pages', async () => {
  const rows = await every(`batchId=${batchIds[0]}&sortOrder=asc`, 25);
  expect(rows.map(({ inputVariables }) => Object.keys(inputVariables as object).length)).toEqual(
    Array.from({ length: stepsOfLong }, (_, n) => n),
  );
  expect(rows.at(-1)?.inputVariables).toMatchObject({ v0: 'text 0', v58: 'text 58' });
});

test('each filter narrows the list, and filters combine', async () => {
  expect(await every(`flowId=${short.id}`)).toMatchObject([{ flowId: short.id, status: 'skipped' }]);
  expect(await every(`batchId=${batchIds[1]}`)).toHaveLength(stepsOfLong);
  expect(await every('status=skipped')).toMatchObject([{ flowId: short.id }]);
  expect(await every('status=completed')).toHaveLength(2 * stepsOfLong);
  expect(await every(`flowId=${short.id}&status=completed`)).toEqual([]);
  expect(await every(`flowId=${long.id}&batchId=${batchIds[2]}`)).toEqual([]);
  expect(await every(`to=${between}`)).toHaveLength(2 * stepsOfLong);
  expect(await every(`from=${between}`)).toMatchObject([{ flowId: short.id }]);
  for (const query of [`flowId=${unknown('flow')}`, `batchId=${unknown('batch')}`])
    expect(await every(query)).toEqual([]);
});

test('the ascending list by creation time is the descending one reversed, and pages of any size add up', async () => {
  const ascending = idsOf(await every('sortOrder=asc'));
  expect(idsOf(await every()).toReversed()).toEqual(ascending);
  for (const limit of [9, 50]) expect(idsOf(await every('sortOrder=asc', limit))).toEqual(ascending);
});

test.each(['startedAt', 'completedAt', 'durationMs', 'order', 'status', 'stepName'])(
  'sortBy=%s sorts in both directions',
  async (sortBy) => {
    const sorted = (values: unknown[]) =>
      values.toSorted((a, b) => ((a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0));
    for (const sortOrder of ['asc', 'desc']) {
      const rows = await every(`sortBy=${sortBy}&sortOrder=${sortOrder}`);
      expect(new Set(idsOf(rows)).size).toBe(2 * stepsOfLong + 1);
      const values = rows.map((row) => row[sortBy]);
      expect(values).toEqual(sortOrder === 'asc' ? sorted(values) : sorted(values).toReversed());
    }
  },
);

test.each([...badStepResultQueries, ['flowId=flow_x', 'flowId'] as const])(
  '400 for %s names the parameter',
  async (query, parameter) => {
    const { details } = await expectStatus(400, tenant.call('GET', `${path()}?${query}`));
    expect(details).toMatchObject([{ path: parameter }]);
  },
);

test('a record without runs has an empty list', async () => {
  const [record] = await createRecords(tenant, 'untouched', 1);
  expect(await everyStepResult(tenant, `/v1/records/${record?.id}/step-results`)).toEqual([]);
});

test('404 for an unknown record and another tenant’s; 400 for a malformed id', async () => {
  const read = (id: string) => tenant.call('GET', `/v1/records/${id}/step-results`);
  const missing = await expectStatus(404, read(unknown('record')));
  expect(missing).toEqual(notFoundBody('Record'));
  const [foreign] = await createRecords(await newTenant(), 'thing', 1);
  expect(await expectStatus(404, read(foreign?.id ?? ''))).toEqual(missing);
  await expectStatus(400, read('record_7'));
});
