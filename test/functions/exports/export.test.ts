import { gunzipSync } from 'node:zlib';
import { parquetMetadata } from 'hyparquet';
import { expect, test } from 'vitest';
import { allRecords, exportFile, finish, importFile, upload } from '../../support/data/imports.ts';
import { finishedBatch, publishedFlow, runFlowOnRecords, template } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const lines = [
  { name: 'a', kind: 'one', n: 1, deep: { x: [1, null], y: 'z' }, big: '=1+1', 'metadata.name': 'inner' },
  { name: 'b', kind: 'two', n: 2.5, deep: { y: '' }, big: 'text' },
  { name: '=c', kind: 'one', n: -3, deep: {}, big: "'quoted", flag: true },
];

/** Three records of two types, in their order. */
async function tenantWithRecords() {
  const tenant = await newTenant();
  const file = lines.map((line) => JSON.stringify(line)).join('\n');
  await importFile(tenant, file, { fileName: 'a.jsonl', typeColumn: 'kind' });
  return tenant;
}

const byName = (records: { name: string }[]) =>
  records.toSorted((one, other) => (one.name < other.name ? -1 : 1));

test.each(['csv', 'jsonl', 'parquet'])(
  'records are exported as %s, and an import reads them back to equal ones',
  async (format) => {
    const tenant = await tenantWithRecords();
    const { done, bytes } = await exportFile(tenant, { what: 'records', format });
    expect(done).toMatchObject({
      progress: { rows: 3, total: 3 },
      bytes: bytes.length,
      what: 'records',
      format,
    });
    const other = await newTenant();
    const body = await importFile(other, bytes, { fileName: `a.${format}`, typeColumn: 'type' });
    expect(body).toMatchObject({ status: 'completed', rows: { created: 3, failed: 0 } });
    expect(byName(await allRecords(other))).toEqual(byName(await allRecords(tenant)));
  },
);

test('an export has the columns that are asked for, flattened, packed, and of the records that match', async () => {
  const tenant = await tenantWithRecords();
  const { bytes } = await exportFile(tenant, {
    what: 'records',
    filter: { recordType: 'one' },
    format: 'csv',
    compress: 'gzip',
    columns: ['name', 'deep.x', 'n'],
  });
  expect(gunzipSync(bytes).toString()).toBe('name,deep.x,n\r\n\'=c,,-3\r\na,"[1,null]",1\r\n');
  const flat = await exportFile(tenant, {
    what: 'records',
    filter: { recordType: 'two' },
    format: 'jsonl',
    flatten: true,
  });
  expect(JSON.parse(flat.bytes.toString())).toMatchObject({ 'deep.y': '', n: 2.5 });
  const none = await exportFile(tenant, { what: 'records', filter: { recordType: 'none' }, format: 'csv' });
  expect(none.bytes.toString()).toBe('name\r\n');
});

test('the records of one import are exported alone', async () => {
  const tenant = await tenantWithRecords();
  const id = await upload(tenant, 'name\nmine\n');
  await finish(tenant, id);
  const { bytes } = await exportFile(tenant, { what: 'records', filter: { importId: id }, format: 'jsonl' });
  expect(bytes.toString()).toBe('{"name":"mine","type":"place"}\n');
});

test('a batch is a table: a row a record, with its metadata and the output of each step', async () => {
  const tenant = await newTenant();
  await importFile(tenant, 'name,n\na,1\nb,2\nc,x\n');
  const steps = [
    template('{"twice": {{ _record.metadata.n }}{{ _record.metadata.n }} }', 'double'),
    template('hello {{ _record.name }}'),
  ];
  const flow = await publishedFlow(tenant, steps);
  const { batchId } = (await runFlowOnRecords(tenant, flow.id, 'place')).body;
  await finishedBatch(tenant, batchId);
  const { bytes, done } = await exportFile(tenant, {
    what: 'batch',
    filter: { batchId },
    format: 'jsonl',
    flatten: true,
  });
  const rows = bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(done.progress).toEqual({ rows: 3, total: 3 });
  expect(byName(rows.map((row) => ({ ...row, name: row.recordName })))[0]).toMatchObject({
    recordName: 'a',
    'record.n': '1',
    double: '{"twice": 11 }',
    'hello {{ _record.name }}': 'hello a',
    status: 'completed',
    error: null,
    cost: '0',
    tokens: 0,
    durationMs: expect.any(Number),
  });
  const runs = await exportFile(tenant, { what: 'runs', format: 'csv' });
  expect(runs.bytes.toString()).toMatch(/^id,kind,name,status,/);
});

test('who may not read it cannot export it, and what does not exist is a 404', async () => {
  const tenant = await newTenant();
  const key = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  const { call } = key;
  expect((await call('POST', '/v1/exports', { body: { what: 'records', format: 'csv' } })).status).toBe(403);
  const filter = { batchId: 'batch_01k9m4v7d3x8qz5w2r6t0y1hbn' };
  const missing = await tenant.call('POST', '/v1/exports', {
    body: { what: 'batch', format: 'csv', filter },
  });
  expect(missing.status).toBe(404);
  const wrong = await tenant.call('POST', '/v1/exports', { body: { what: 'batch', format: 'csv' } });
  expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'filter.batchId' }] } });
  const { done } = await exportFile(tenant, { what: 'records', format: 'csv' });
  expect((await tenant.call('POST', `/v1/exports/${done.id}/cancel`, { body: {} })).status).toBe(409);
  const twice = await tenant.call('POST', '/v1/exports', {
    body: { what: 'records', format: 'csv', columns: ['name', 'n', 'name'] },
  });
  expect(twice).toMatchObject({
    status: 400,
    body: { details: [{ path: 'columns.2', code: 'DUPLICATE_KEY' }] },
  });
  expect(twice.body.details[0].message).toContain('"name" occurs twice');
  expect((await tenant.call('GET', '/v1/exports')).body.data).toMatchObject([
    { id: done.id, status: 'completed' },
  ]);
});

test.each(['csv', 'parquet'])(
  'columns of %s are in the order asked for, and years are behind the others (jsoneditor 1351)',
  async (format) => {
    const tenant = await newTenant();
    await importFile(tenant, 'name,2024,code,2023\na,1,x,2\n');
    const columnsOf = async (columns?: string[]) => {
      const { bytes } = await exportFile(tenant, { what: 'records', format, ...(columns && { columns }) });
      if (format === 'csv') return bytes.toString().split('\r\n', 1)[0]?.split(',');
      return parquetMetadata(new Uint8Array(bytes).buffer)
        .schema.slice(1)
        .map(({ name }) => name);
    };
    expect(await columnsOf(['2024', 'name', '2023'])).toEqual(['2024', 'name', '2023']);
    expect(await columnsOf()).toEqual(['name', 'type', 'code', '2023', '2024']);
  },
);

test('negative numbers are no formulas in CSV, texts that begin with a minus are (woocommerce 25379, mui-x 13888)', async () => {
  const tenant = await newTenant();
  const lines = [
    { name: 'a', n: -5.25, small: -1e-7, t: '-5' },
    { name: 'b', n: 1, small: 1, t: '-2+3' },
  ];
  await importFile(tenant, lines.map((line) => JSON.stringify(line)).join('\n'), { fileName: 'a.jsonl' });
  const { bytes } = await exportFile(tenant, {
    what: 'records',
    format: 'csv',
    columns: ['name', 'n', 'small', 't'],
  });
  expect(bytes.toString().trim().split('\r\n').toSorted()).toEqual([
    'a,-5.25,-1e-7,-5',
    "b,1,1,'-2+3",
    'name,n,small,t',
  ]);
});
