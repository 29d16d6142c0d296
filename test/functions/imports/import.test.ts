import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { AwsClient } from 'aws4fetch';
import { expect, test } from 'vitest';
import { credentials, region } from '../../../infra/local/runtime/account.ts';
import { allRecords, finish, importFile, upload } from '../../support/data/imports.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('a CSV file becomes records, with numbers, booleans and lists where all cells are such', async () => {
  const tenant = await newTenant();
  const file =
    'name,kind,zip,population,open,tags,note\nOslo,city,0150,709037,true,"[""a""]",\nBergen,city,5003,291940,FALSE,"[]","a, b"\n';
  const body = await importFile(tenant, file, { typeColumn: 'kind' });
  expect(body).toMatchObject({
    status: 'completed',
    format: 'csv',
    mode: 'create',
    rows: { read: 2, created: 2, updated: 0, unchanged: 0, failed: 0 },
    bytes: { read: file.length, total: file.length },
    error: null,
    problemsUrl: null,
    secondsLeft: null,
  });
  expect(await allRecords(tenant)).toEqual([
    { name: 'Oslo', type: 'city', metadata: { zip: '0150', population: 709037, open: true, tags: ['a'] } },
    {
      name: 'Bergen',
      type: 'city',
      metadata: { zip: '5003', population: 291940, open: false, tags: [], note: 'a, b' },
    },
  ]);
});

test('JSON Lines keep their types, also packed by gzip', async () => {
  const tenant = await newTenant();
  const rows = [
    '{"name":"a","n":1,"s":"1","list":[1,{"b":null}],"big":12345678901234567890}',
    '{"name":"b"}',
  ];
  const body = await importFile(tenant, gzipSync(rows.join('\r\n')), { fileName: 'rows.jsonl.gz' });
  expect(body).toMatchObject({ status: 'completed', format: 'jsonl', rows: { created: 2, failed: 0 } });
  expect(await allRecords(tenant)).toEqual([
    {
      name: 'a',
      type: 'place',
      metadata: { n: 1, s: '1', list: [1, { b: null }], big: '12345678901234567890' },
    },
    { name: 'b', type: 'place', metadata: {} },
  ]);
});

test('rows with problems are skipped, listed, and can be mended and sent again', async () => {
  const tenant = await newTenant();
  const file = 'name,age\nAda,36\n,37\nBob,x\nAda,38\nEve,39,extra\n=1+1,40\n';
  const id = await upload(tenant, file, { columns: { age: { as: 'number' } } });
  const body = await finish(tenant, id);
  expect(body).toMatchObject({ status: 'completed', rows: { read: 6, created: 2, failed: 4 } });
  const { body: first } = await tenant.call('GET', `/v1/imports/${id}/problems?limit=3`);
  expect(first.data).toEqual([
    { row: 2, column: 'name', code: 'NAME_MISSING', message: 'The name is blank', text: '["","37"]' },
    { row: 3, column: 'age', code: 'INVALID_NUMBER', message: expect.any(String), text: 'x' },
    { row: 4, column: 'name', code: 'NAME_TAKEN', message: expect.any(String), text: 'Ada' },
  ]);
  expect(first.pagination).toEqual({ nextCursor: '4', hasMore: true, limit: 3 });
  const { body: second } = await tenant.call('GET', `/v1/imports/${id}/problems?cursor=4`);
  expect(second.data).toMatchObject([{ row: 5, column: null, code: 'CELL_COUNT' }]);
  const mended = await (await fetch(body.problemsUrl)).text();
  expect(mended.split('\r\n')[0]).toBe('problem.row,problem.column,problem.code,problem.message,name,age');
  const again = mended.replace(',,37', ',Cy,37').replace('Bob,x', 'Bob,41');
  expect(await importFile(tenant, again)).toMatchObject({ rows: { read: 4, created: 2, failed: 2 } });
  const { body: found } = await tenant.call('GET', '/v1/records?type=place&name=Cy');
  expect(found.data).toMatchObject([{ metadata: { age: 37 } }]);
});

test('a dry run shows columns, records and problems, and stores nothing', async () => {
  const tenant = await newTenant();
  const id = await upload(tenant, 'name;born;n\nAda;1815-12-10;1\nBob;10.12.1815;2\n', {
    columns: { born: { as: 'date', to: 'life.born' } },
  });
  const { status, body } = await tenant.call('POST', `/v1/imports/${id}/start`, { body: { dryRun: true } });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      columns: [
        { name: 'name', as: 'text', examples: [], missing: 0 },
        { name: 'born', as: 'date', examples: ['1815-12-10'], missing: 1 },
        { name: 'n', as: 'number', examples: [1], missing: 1 },
      ],
      rows: [{ name: 'Ada', type: 'place', metadata: { life: { born: '1815-12-10' }, n: 1 } }],
      cells: [
        ['Ada', '1815-12-10', '1'],
        ['Bob', '10.12.1815', '2'],
      ],
      problems: [
        { row: 2, column: 'born', code: 'INVALID_DATE', message: expect.any(String), text: '10.12.1815' },
      ],
      rowsEstimated: 2,
    },
  });
  expect(await allRecords(tenant)).toEqual([]);
});

test('a dry run estimates the rows of a file by how far its first ones reach', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 5_000 }, (_, n) => `place ${10_000 + n},${10_000 + n}`);
  const id = await upload(tenant, `name,n\n${rows.join('\n')}\n`);
  const { body } = await tenant.call('POST', `/v1/imports/${id}/start`, { body: { dryRun: true } });
  expect(Math.abs(body.rowsEstimated - rows.length)).toBeLessThan(50);
});

test('a dry run of long rows reads as many as tell something, not the whole file', async () => {
  const tenant = await newTenant();
  const long = 'x'.repeat(1_000_000);
  const rows = Array.from({ length: 60 }, (_, n) => `place ${n},${long}`);
  const id = await upload(tenant, `name,n\n${rows.join('\n')}\n`);
  const { body } = await tenant.call('POST', `/v1/imports/${id}/start`, { body: { dryRun: true } });
  expect(Math.abs(body.rowsEstimated - rows.length)).toBeLessThan(3);
  expect(body.problems.length).toBeLessThan(45);
  expect(body.problems[0]).toMatchObject({ row: 1, code: expect.any(String) });
});

test('settings of the start take the place of those of the import, and a dry run does not keep them', async () => {
  const tenant = await newTenant();
  const id = await upload(tenant, 'code;n\nA1;1\nB2;2\n');
  const start = (body: object) => tenant.call('POST', `/v1/imports/${id}/start`, { body });
  const { status, body: unnamed } = await start({ dryRun: true });
  expect(status).toBe(200);
  expect(unnamed).toMatchObject({
    columns: [
      { name: 'code', as: 'text', examples: ['A1', 'B2'] },
      { name: 'n', as: 'number', examples: [1, 2] },
    ],
    rows: [],
    problems: [{ row: 0, code: 'MISSING_COLUMN', message: expect.stringContaining('code, n') }],
  });
  const settings = { type: 'part', nameColumn: 'code', columns: { n: { to: 'stock.n', as: 'text' } } };
  const tried = await start({ dryRun: true, settings });
  const records = [
    { name: 'A1', type: 'part', metadata: { stock: { n: '1' } } },
    { name: 'B2', type: 'part', metadata: { stock: { n: '2' } } },
  ];
  expect(tried.body.rows).toEqual(records);
  expect(tried.body.problems).toEqual([]);
  expect((await start({ dryRun: true })).body.problems).toHaveLength(1);
  const refused = await start({ settings: { ...settings, typeColumn: 'code' } });
  const details = [{ path: 'settings.typeColumn', code: 'SEVERAL_TARGETS' }];
  expect(refused).toMatchObject({ status: 400, body: { details } });
  expect(await start({ settings })).toMatchObject({ status: 202, body: { status: 'queued' } });
  await expect.poll(() => allRecords(tenant), { timeout: 10_000 }).toEqual(records);
});

test('pages of other origins may send a file to the address, and read nothing by it', async () => {
  const tenant = await newTenant();
  const source = { upload: { fileName: 'a.csv' } };
  const { body } = await tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } });
  const origin = 'https://app.example.com';
  const ask = (method: string) =>
    fetch(body.upload.url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method },
    });
  const asked = await ask('PUT');
  expect(asked.status).toBe(200);
  expect(asked.headers.get('access-control-allow-origin')).toBe('*');
  expect(asked.headers.get('access-control-allow-methods')).toBe('PUT');
  expect((await ask('DELETE')).status).toBe(403);
  const sent = await fetch(body.upload.url, { method: 'PUT', body: 'name\na\n', headers: { origin } });
  expect(sent.status).toBe(200);
  expect(sent.headers.get('access-control-allow-origin')).toBe('*');
  const changed = body.upload.url.replace(/(?<=Signature=)./, (digit: string) => (digit === '0' ? '1' : '0'));
  expect((await fetch(changed, { method: 'PUT', body: 'x' })).status).toBe(403);
  expect((await fetch(body.upload.url)).status).toBe(403);
});

test('what is not there, or was started, is a 409, and later uploads change nothing', async () => {
  const tenant = await newTenant();
  const source = { upload: { fileName: 'a.csv' } };
  const { body } = await tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } });
  const start = () => tenant.call('POST', `/v1/imports/${body.id}/start`, { body: {} });
  expect(await start()).toMatchObject({ status: 409, body: { details: [{ code: 'UPLOAD_MISSING' }] } });
  await fetch(body.upload.url, { method: 'PUT', body: 'name\nfirst\n' });
  expect((await start()).status).toBe(202);
  await fetch(body.upload.url, { method: 'PUT', body: 'name\nsecond\n' });
  expect((await start()).status).toBe(409);
  await eventually(async () =>
    expect((await tenant.call('GET', `/v1/imports/${body.id}`)).body.status).toBe('completed'),
  );
  expect(await allRecords(tenant)).toEqual([{ name: 'first', type: 'place', metadata: {} }]);
  expect((await tenant.call('POST', `/v1/imports/${body.id}/cancel`, { body: {} })).status).toBe(409);
});

test('an upsert changes the members that the file has, creates the others, and writes nothing for equal rows', async () => {
  const tenant = await newTenant();
  const create = (name: string, metadata: object) =>
    tenant.call('POST', '/v1/records', { body: { type: 'place', name, metadata } });
  await create('Oslo', { zip: '0150', kept: true });
  await create('Bergen', { zip: '5003' });
  const file = 'name,zip,n\nOslo,0151,1\nBergen,5003,\nVoss,5700,3\nVoss,5701,\n';
  const body = await importFile(tenant, file, { mode: 'upsert' });
  expect(body).toMatchObject({
    status: 'completed',
    rows: { read: 4, created: 1, updated: 2, unchanged: 1, failed: 0 },
  });
  const records = await allRecords(tenant);
  expect(records).toHaveLength(3);
  expect(records).toEqual(
    expect.arrayContaining([
      { name: 'Oslo', type: 'place', metadata: { zip: '0151', kept: true, n: 1 } },
      { name: 'Bergen', type: 'place', metadata: { zip: '5003' } },
      { name: 'Voss', type: 'place', metadata: { zip: '5701', n: 3 } },
    ]),
  );
  expect(await importFile(tenant, file.replace('Voss,5700,3\n', ''), { mode: 'upsert' })).toMatchObject({
    rows: { created: 0, updated: 0, unchanged: 3 },
  });
});

test('an upsert finds records by columns where they go, and reports blank and ambiguous keys', async () => {
  const tenant = await newTenant();
  for (const [name, sku] of [
    ['a', 1],
    ['b', '2'],
    ['c', 3],
    ['d', 3],
  ])
    await tenant.call('POST', '/v1/records', { body: { type: 'place', name, metadata: { item: { sku } } } });
  const file = 'name,SKU,price\na2,1,10\nb,2,20\nx,3,30\ny,,40\nz,9,50\nz,9,60\nb,8,70\n';
  const options = { mode: 'upsert', key: ['SKU'], columns: { SKU: { to: 'item.sku' } } };
  const id = await upload(tenant, file, options);
  const body = await finish(tenant, id);
  expect(body).toMatchObject({ rows: { read: 7, created: 1, updated: 3, unchanged: 0, failed: 3 } });
  const { body: problems } = await tenant.call('GET', `/v1/imports/${id}/problems`);
  expect(problems.data.map(({ row, code }: { row: number; code: string }) => [row, code])).toEqual([
    [3, 'KEY_AMBIGUOUS'],
    [4, 'KEY_MISSING'],
    [7, 'NAME_TAKEN'],
  ]);
  const records = await allRecords(tenant);
  expect(records).toEqual(
    expect.arrayContaining([
      { name: 'a2', type: 'place', metadata: { item: { sku: 1 }, price: 10 } },
      { name: 'z', type: 'place', metadata: { item: { sku: 9 }, price: 60 } },
    ]),
  );
});

test('with onError: "stop" nothing after the first bad row is stored', async () => {
  const tenant = await newTenant();
  const body = await importFile(tenant, 'name\na\nb\nx,y\nc\n', { onError: 'stop' });
  expect(body).toMatchObject({
    status: 'failed',
    rows: { read: 3, created: 2, failed: 1 },
    error: { code: 'CELL_COUNT', message: expect.stringContaining('Row 3') },
  });
  expect((await allRecords(tenant)).map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
});

test('the records of an import are listed by it, and deleted as a whole', async () => {
  const tenant = await newTenant();
  await tenant.call('POST', '/v1/records', { body: { type: 'place', name: 'other' } });
  const id = await upload(tenant, 'name\na\nb\nc\n');
  await finish(tenant, id);
  const { body } = await tenant.call('GET', `/v1/records?importId=${id}&limit=2`);
  expect(body.data).toMatchObject([{ name: 'c', importId: id }, { name: 'b' }]);
  const rest = await tenant.call('GET', `/v1/records?importId=${id}&cursor=${body.pagination.nextCursor}`);
  expect(rest.body.data).toMatchObject([{ name: 'a' }]);
  expect((await tenant.call('DELETE', `/v1/imports/${id}/records`)).status).toBe(202);
  await eventually(async () =>
    expect((await allRecords(tenant)).map(({ name }: { name: string }) => name)).toEqual(['other']),
  );
});

test('imports are listed, newest first, and cancelled before their start', async () => {
  const tenant = await newTenant();
  const first = await upload(tenant, 'name\na\n', { name: 'One' });
  const second = await upload(tenant, 'name\na\n', { name: 'Two' });
  const { body } = await tenant.call('GET', '/v1/imports');
  expect(body.data.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
    [second, 'Two'],
    [first, 'One'],
  ]);
  expect(await tenant.call('POST', `/v1/imports/${first}/cancel`, { body: {} })).toMatchObject({
    status: 200,
    body: { status: 'cancelled' },
  });
  expect((await tenant.call('POST', `/v1/imports/${first}/start`, { body: {} })).status).toBe(409);
});

test('a file that is sent as a form, as curl does, is stored as it is', async () => {
  const tenant = await newTenant();
  const created = await tenant.call('POST', '/v1/imports', {
    body: { type: 'place', source: { upload: { fileName: 'a.csv' } } },
  });
  const { url, method } = created.body.upload;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await fetch(url, { method, headers, body: 'name,n\nA,1\n' });
  expect(sent.status).toBe(200);
  expect(await finish(tenant, created.body.id)).toMatchObject({ status: 'completed', rows: { created: 1 } });
});

test('names that belong to objects themselves are problems of their rows, as they are refused in bodies', async () => {
  const tenant = await newTenant();
  const rows = [
    '{"name":"a","__proto__":{"n":1}}',
    '{"name":"b","x":[{"\\u005f_proto__":1}]}',
    '{"name":"c","constructor":{"prototype":1}}',
    '{"name":"d","constructor":"Ada","note":"__proto__"}',
  ];
  const id = await upload(tenant, rows.join('\n'), { fileName: 'rows.jsonl' });
  expect(await finish(tenant, id)).toMatchObject({ rows: { created: 1, failed: 3 } });
  const { body } = await tenant.call('GET', `/v1/imports/${id}/problems`);
  expect(body.data.map(({ row, code }: { row: number; code: string }) => [row, code])).toEqual([
    [1, 'FORBIDDEN_MEMBER'],
    [2, 'FORBIDDEN_MEMBER'],
    [3, 'FORBIDDEN_MEMBER'],
  ]);
  const [{ metadata }] = await allRecords(tenant);
  expect(metadata).toEqual({ constructor: 'Ada', note: '__proto__' });
  const file = 'name,note\na,"{""__proto__"":1}"\nb,"{""c"":1}"\n';
  expect(await importFile(tenant, file, { type: 'cell' })).toMatchObject({ rows: { created: 2 } });
  const cells = (await allRecords(tenant)).filter((record: { type: string }) => record.type === 'cell');
  expect(cells).toContainEqual(expect.objectContaining({ metadata: { note: '{"__proto__":1}' } }));
});

test.each([
  [{ columns: { a: { to: 'x.__proto__' } } }, 'columns', 'The column "a" goes to x.__proto__'],
  [{ columns: { a: { to: 'constructor.prototype.x' } } }, 'columns', 'which no record may have'],
  [{ csv: { encoding: 'klingon' } }, 'csv.encoding', 'No encoding'],
  [{ csv: { delimiter: '"' } }, 'csv.delimiter', 'cannot separate columns'],
  [{ csv: { delimiter: '\n' } }, 'csv.delimiter', 'cannot separate columns'],
  [
    { source: { upload: { fileName: 'a.csv' }, url: 'https://example.com/a' } },
    'source',
    'Send either `upload` or `url`',
  ],
])('refuses settings that cannot work: %j', async (settings, path, message) => {
  const tenant = await newTenant();
  const body = { type: 'place', source: { upload: { fileName: 'a.csv' } }, ...settings };
  const { status, body: refused } = await tenant.call('POST', '/v1/imports', { body });
  expect(status).toBe(400);
  expect(refused.details).toEqual([
    expect.objectContaining({ path, message: expect.stringContaining(message) }),
  ]);
});

test('a file that is called Parquet and is none is refused as that', async () => {
  const tenant = await newTenant();
  const body = await importFile(tenant, Buffer.from([0, 1, 2, 3]), { fileName: 'rows.parquet' });
  expect(body.error).toMatchObject({ code: 'WRONG_FORMAT', message: expect.stringContaining('Parquet') });
});

test('an address that somebody signs with what tools on the machine know is refused', async () => {
  const tenant = await newTenant();
  const body = { type: 'place', source: { upload: { fileName: 'a.csv' } } };
  const { body: made } = await tenant.call('POST', '/v1/imports', { body });
  const { origin, pathname } = new URL(made.upload.url);
  const tools = new AwsClient({ ...credentials, region, service: 's3' });
  const inner = `${process.env.AWS_ENDPOINT_URL_S3}${pathname}?X-Amz-Expires=3600`;
  const { url } = await tools.sign(inner, { method: 'PUT', aws: { signQuery: true } });
  const forged = url.replace(new URL(url).origin, origin);
  expect((await fetch(forged, { method: 'PUT', body: 'name\na\n' })).status).toBe(403);
  const byHeader = await tools.fetch(made.upload.url.split('?')[0], { method: 'PUT', body: 'name\na\n' });
  expect(byHeader.status).toBe(403);
  expect((await fetch(made.upload.url, { method: 'PUT', body: 'name\na\n' })).status).toBe(200);
});

test('an address does not copy the file of another tenant, and sends no body without its signature', async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  const create = async (tenant: typeof one) => {
    const body = { type: 'place', source: { upload: { fileName: 'a.csv' } } };
    return (await tenant.call('POST', '/v1/imports', { body })).body;
  };
  const [mine, theirs] = [await create(one), await create(other)];
  expect((await fetch(theirs.upload.url, { method: 'PUT', body: 'name\nsecret\n' })).status).toBe(200);
  const source = decodeURIComponent(new URL(theirs.upload.url).pathname);
  const copied = await fetch(mine.upload.url, { method: 'PUT', headers: { 'x-amz-copy-source': source } });
  expect([copied.status, await copied.text()]).toEqual([403, expect.stringContaining('not signed')]);
  const start = await one.call('POST', `/v1/imports/${mine.id}/start`, { body: {} });
  expect(start.body).toMatchObject({ details: [{ code: 'UPLOAD_MISSING' }] });
  // Answered before a byte of its body comes.
  const sent = request(mine.upload.url.split('?')[0], {
    method: 'PUT',
    headers: { 'content-length': 5_000_000_000 },
  });
  sent.flushHeaders();
  const [{ statusCode }] = await once(sent, 'response');
  sent.on('error', () => {}).destroy();
  expect(statusCode).toBe(403);
});

test('an address of a part takes nothing after the import was cancelled', async () => {
  const tenant = await newTenant();
  const source = { upload: { fileName: 'large.csv', bytes: 150_000_000 } };
  const { id, upload } = (await tenant.call('POST', '/v1/imports', { body: { source, type: 'place' } })).body;
  const send = (part: number) => fetch(upload.parts[part].url, { method: 'PUT', body: 'name\na\n' });
  expect((await send(0)).status).toBe(200);
  expect((await tenant.call('POST', `/v1/imports/${id}/cancel`, { body: {} })).status).toBe(200);
  await eventually(async () => {
    const refused = await send(1);
    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('NoSuchUpload')]);
  });
  expect((await tenant.call('GET', `/v1/imports/${id}`)).body).toMatchObject({ status: 'cancelled' });
});
