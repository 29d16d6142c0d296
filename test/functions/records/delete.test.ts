import { expect, test } from 'vitest';
import { checkpointEntity, recordResultsRange } from '../../../shared/execution/runs/checkpoint.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

test('204 without a body, and no read returns the record any more', async () => {
  const { call } = await newTenant();
  const { body: record } = await call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  const { body: kept } = await call('POST', '/v1/records', { body: { type: 'a', name: 'y' } });
  const deleted = await call('DELETE', `/v1/records/${record.id}`);
  expect(deleted).toMatchObject({ status: 204, body: '' });
  expect((await call('GET', `/v1/records/${record.id}`)).status).toBe(404);
  expect((await call('GET', `/v1/records/${record.id}/step-results`)).status).toBe(404);
  expect((await call('DELETE', `/v1/records/${record.id}`)).status).toBe(404);
  expect((await call('PUT', `/v1/records/${record.id}`, { body: { metadata: {} } })).status).toBe(404);
  for (const query of ['', '?type=a', '?search=x', '?type=a&name=x']) {
    const { data } = (await call('GET', `/v1/records${query}`)).body;
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(record.id);
  }
  expect((await call('GET', '/v1/records')).body.data).toEqual([kept]);
});

test('the type and the name become free again', async () => {
  const { call } = await newTenant();
  const { body: record } = await call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  await call('DELETE', `/v1/records/${record.id}`, { body: {} });
  const again = await call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  expect(again.status).toBe(201);
  expect(again.body.id).not.toBe(record.id);
});

test('the record’s step results are removed, and those of others stay', async () => {
  const { call, tenant, userId } = await newTenant();
  const { table, newId } = countingRuntime().scopeOf(tenant);
  const checkpoint = (recordId: string) => ({
    runId: newId('exec'),
    index: 0,
    flowId: newId('flow'),
    flowVersionId: newId('flowver'),
    batchId: null,
    recordId,
    recordName: 'x',
    userId,
    organizationId: null,
    results: [],
    rows: '[]',
  });
  const resultsOf = async (id: string) => (await table.queryAll(recordResultsRange(id))).length;
  const create = async (name: string): Promise<string> =>
    (await call('POST', '/v1/records', { body: { type: 'a', name } })).body.id;
  const [gone, kept] = await Promise.all([create('gone'), create('kept')]);
  await table.commit([gone, gone, kept].map((id) => table.writes.insert(checkpointEntity, checkpoint(id))));
  expect(await resultsOf(gone)).toBe(2);

  expect((await call('DELETE', `/v1/records/${gone}`)).status).toBe(204);

  await eventually(async () => expect(await resultsOf(gone)).toBe(0));
  expect(await resultsOf(kept)).toBe(1);
});

test('of several concurrent deletions, one gets 204 and the others 404', async () => {
  const { call } = await newTenant();
  const { body: record } = await call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call('DELETE', `/v1/records/${record.id}`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
});

test('404 for another tenant’s record, the same as for one that does not exist, and the record stays', async () => {
  const [one, other] = await Promise.all([newTenant(), newTenant()]);
  const { body: record } = await one.call('POST', '/v1/records', { body: { type: 'a', name: 'x' } });
  const foreign = await other.call('DELETE', `/v1/records/${record.id}`);
  const missing = await other.call('DELETE', '/v1/records/record_01k9m4v7d3x8qz5w2r6t0y1hbn');
  expect(missing).toMatchObject({ status: 404, body: notFoundBody('Record') });
  expect(foreign).toMatchObject({ status: 404, body: missing.body });
  expect((await one.call('GET', `/v1/records/${record.id}`)).status).toBe(200);
});

test('400 for a malformed id', async () => {
  const { call } = await newTenant();
  expect((await call('DELETE', '/v1/records/record_x')).status).toBe(400);
});

test('403 without RECORDS:WRITE', async () => {
  const { call } = await newTenant({ permissions: ['RECORDS:READ'] });
  expect((await call('DELETE', '/v1/records/record_01k9m4v7d3x8qz5w2r6t0y1hbn')).status).toBe(403);
});
