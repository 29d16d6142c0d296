import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const form = (file: BlobPart, fields: Record<string, string> = { typeValue: 'place' }) => {
  const data = new FormData();
  data.append('file', new File([file], 'upload.csv', { type: 'text/csv' }));
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
};
const upload = ({ call }: Tenant, file: BlobPart, fields?: Record<string, string>) =>
  call('POST', '/v1/records/upload-csv', { body: form(file, fields) });

test('201 with the records created from the rows', async () => {
  const tenant = await newTenant();
  const file = '\ufeffTitle;Kind;Zip\r\nOslo;city;0150\r\n\r\n"Bergen; old";town;\r\n';
  const { status, body } = await upload(tenant, file, { nameColumn: 'Title', typeColumn: 'Kind' });
  expect(status).toBe(201);
  const id = expect.stringMatching(/^record_/);
  expect(body).toEqual({
    success: true,
    created: 2,
    errors: 0,
    errorDetails: [],
    message: 'Created 2 records; 0 rows failed, see errorDetails',
    records: [
      { id, type: 'city', name: 'Oslo', metadata: { Zip: '0150' } },
      { id, type: 'town', name: 'Bergen; old', metadata: {} },
    ],
  });
  const record = await tenant.call('GET', `/v1/records/${body.records[0].id}`);
  expect(record.body).toMatchObject({ ...body.records[0], userId: tenant.userId, messages: null });
});

test('a repeated upload with its Idempotency-Key is the first one, though its form has another boundary', async () => {
  const tenant = await newTenant();
  const headers = { 'Idempotency-Key': 'an-upload' };
  const send = (file: string) => tenant.call('POST', '/v1/records/upload-csv', { body: form(file), headers });
  const first = await send('name\nOslo\n');
  expect(first).toMatchObject({ status: 201, body: { created: 1 } });
  expect(await send('name\nOslo\n')).toMatchObject({ status: 201, body: first.body });
  expect((await send('name\nBergen\n')).status).toBe(422);
});

test('invalid rows are reported with their line numbers, and the valid ones are created', async () => {
  const tenant = await newTenant();
  await tenant.call('POST', '/v1/records', { body: { type: 'place', name: 'taken' } });
  const file = 'name,note\n"A","one\ntwo"\nragged\n,blank\ntaken,x\nA,again\nB,2\n';
  const { status, body } = await upload(tenant, file);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    success: true,
    created: 2,
    errors: 4,
    errorDetails: [
      'Line 4: expected 2 cells, as in the header, but found 1',
      'Line 5: the name (column "name") is blank',
      'Line 6: a record with this type and name already exists',
      'Line 7: the same type and name as in line 2',
    ],
    message: 'Created 2 records; 4 rows failed, see errorDetails',
  });
  const { data } = (await tenant.call('GET', '/v1/records?type=place')).body;
  expect(data.map(({ name, metadata }: { name: string; metadata: object }) => [name, metadata])).toEqual([
    ['B', { note: '2' }],
    ['A', { note: 'one\ntwo' }],
    ['taken', {}],
  ]);
});

test('3,376 airports create as many records, and the same file again creates none', async () => {
  const tenant = await newTenant();
  const file = await readFile(new URL('../../../examples/airports.csv', import.meta.url));
  const fields = { nameColumn: 'iata', typeValue: 'airport' };
  const first = await upload(tenant, file, fields);
  expect(first).toMatchObject({ status: 201, body: { created: 3_376, errors: 0 } });
  expect(first.body.records).toHaveLength(1_000);
  expect(first.body.records[0]).toMatchObject({
    name: '00M',
    metadata: { name: 'Thigpen', city: 'Bay Springs', latitude: '31.95376472' },
  });
  const count = async () =>
    (await tenant.call('GET', '/v1/records?limit=1&includeCount=true')).body.pagination.totalCount;
  expect(await count()).toBe(3_376);

  const second = await upload(tenant, file, fields);
  expect(second).toMatchObject({
    status: 201,
    body: { success: false, created: 0, errors: 3_376, records: [] },
  });
  expect(second.body.errorDetails).toHaveLength(3_376);
  expect(second.body.errorDetails.at(-1)).toBe('Line 3377: a record with this type and name already exists');
  expect(await count()).toBe(3_376);
});

test('of two concurrent uploads of one file, one creates each row and the other reports it', async () => {
  const tenant = await newTenant();
  const file = `name\n${Array.from({ length: 500 }, (_, n) => `row ${n}`).join('\n')}\n`;
  const answers = await Promise.all([upload(tenant, file), upload(tenant, file)]);
  const sum = (count: (body: Record<string, number>) => number | undefined) =>
    answers.reduce((total, { body }) => total + (count(body) ?? 0), 0);
  expect(sum(({ created }) => created)).toBe(500);
  expect(sum(({ errors }) => errors)).toBe(500);
  const { pagination } = (await tenant.call('GET', '/v1/records?includeCount=true')).body;
  expect(pagination.totalCount).toBe(500);
});

test('a response that would be too large lists fewer records and counts all', async () => {
  const tenant = await newTenant();
  const file = `name,${'h'.repeat(20_000)}\n${Array.from({ length: 400 }, (_, n) => `${n},x\n`).join('')}`;
  const { status, body } = await upload(tenant, file);
  expect(status).toBe(201);
  expect(body.created).toBe(400);
  expect(body.records.length).toBeGreaterThan(200);
  expect(JSON.stringify(body).length).toBeLessThan(5_000_000);
});

test.each([
  ['neither type column nor type value', 'name\nA\n', {}, 'typeValue', 'MISSING_REQUIRED_FIELD'],
  ['a missing name column', 'name\nA\n', { nameColumn: 'x', typeValue: 't' }, 'nameColumn', 'MISSING_COLUMN'],
  ['a missing type column', 'name\nA\n', { typeColumn: 'x' }, 'typeColumn', 'MISSING_COLUMN'],
  ['no rows', 'name\n', { typeValue: 't' }, 'file', 'NO_ROWS'],
  [
    'a column name that stands there 100,000 times',
    `name${',c'.repeat(100_000)}\nA${',1'.repeat(100_000)}\n`,
    { typeValue: 't' },
    'file',
    'TOO_MANY_COLUMNS',
  ],
  [
    'two million columns',
    `name${','.repeat(2_100_000)}\nA\n`,
    { typeValue: 't' },
    'file',
    'TOO_MANY_COLUMNS',
  ],
  ['a file that is no CSV', '\x89PNG\0', { typeValue: 't' }, 'file', 'NOT_CSV'],
  ['a type value over 255 characters', 'name\nA\n', { typeValue: 'x'.repeat(256) }, 'typeValue', 'TOO_BIG'],
  ['an unknown field', 'name\nA\n', { typeValue: 't', extra: 'x' }, 'extra', 'UNKNOWN_MEMBER'],
])('400 for %s, and nothing is created', async (_, file, fields, path, code) => {
  const tenant = await newTenant();
  const { status, body } = await upload(tenant, file, fields as Record<string, string>);
  expect(status).toBe(400);
  expect(body).toEqual({
    error: 'Validation error',
    details: [{ path, code, message: expect.any(String) }],
  });
  expect((await tenant.call('GET', '/v1/records')).body.data).toEqual([]);
});

test('400 names the line of a quote that opens in the first row and never closes', async () => {
  const { status, body } = await upload(await newTenant(), 'name,v\nb1,"abc\nc1,1\n');
  expect(status).toBe(400);
  const message = 'Line 2: a quote opens in this row and never closes; the rest of the file was not read';
  expect(body.details).toEqual([{ path: 'file', code: 'UNCLOSED_QUOTE', message }]);
});

test('400 without a file', async () => {
  const { call } = await newTenant();
  const data = new FormData();
  data.append('typeValue', 't');
  const { status, body } = await call('POST', '/v1/records/upload-csv', { body: data });
  expect(status).toBe(400);
  expect(body).toMatchObject({ details: [{ path: 'file', code: 'MISSING_REQUIRED_FIELD' }] });
});

test('413 that advises splitting for more than 10,000 rows, and nothing is created', async () => {
  const tenant = await newTenant();
  const { status, body } = await upload(
    tenant,
    `name\n${Array.from({ length: 10_001 }, (_, n) => n).join('\n')}`,
  );
  expect(status).toBe(413);
  expect(body).toEqual({
    error: 'Payload too large',
    details: [
      {
        code: 'TOO_LARGE',
        message:
          'A call takes at most 10000 rows: split the file and upload its parts one after another, or send it to /v1/imports, which takes files of any size',
      },
    ],
  });
  expect((await tenant.call('GET', '/v1/records')).body.data).toEqual([]);
});

test('415 for a body that is not multipart/form-data', async () => {
  const { call } = await newTenant();
  const { status } = await call('POST', '/v1/records/upload-csv', {
    body: 'name\nA\n',
    headers: { 'content-type': 'text/csv' },
  });
  expect(status).toBe(415);
});

test('403 without RECORDS:WRITE', async () => {
  const tenant = await newTenant({ permissions: ['RECORDS:READ'] });
  expect((await upload(tenant, 'name\nA\n')).status).toBe(403);
});
