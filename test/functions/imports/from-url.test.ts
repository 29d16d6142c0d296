import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { NewImport } from '../../../shared/domain/imports/import.ts';
import { planFileRows, sourceOpener } from '../../../shared/execution/imports/import-file.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';
import { exportFile, finish, importFile, upload } from '../../support/data/imports.ts';
import { web } from '../../support/servers/web.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

test('a URL of a private address is not loaded, and the import says so', async () => {
  const tenant = await newTenant();
  const body = { source: { url: 'http://127.0.0.1:8765/rows.csv' }, type: 'place' };
  const created = await tenant.call('POST', '/v1/imports', { body });
  expect(created).toMatchObject({
    status: 201,
    body: { status: 'awaiting-upload', upload: null, name: 'rows.csv' },
  });
  expect(await finish(tenant, created.body.id)).toMatchObject({
    status: 'failed',
    error: { code: 'URL_FAILED', message: expect.stringContaining('not a public address') },
  });
});

test('a dry run of a URL says what is wrong with it, and a host that does not answer ends the import at once', async () => {
  const tenant = await newTenant();
  await importFile(tenant, 'name,n\na,1\nb,2\n');
  const { done } = await exportFile(tenant, { what: 'records', format: 'csv' });
  const create = async (url: string) =>
    (await tenant.call('POST', '/v1/imports', { body: { source: { url }, type: 'again' } })).body.id;
  const dryRun = async (url: string) =>
    tenant.call('POST', `/v1/imports/${await create(url)}/start`, { body: { dryRun: true } });
  const rows = ['b', 'a'].map((name) => ({ name, type: 'again' }));
  expect(await dryRun(done.url)).toMatchObject({ status: 200, body: { rows, rowsEstimated: 2 } });
  expect(await finish(tenant, await create(done.url))).toMatchObject({ rows: { created: 2 } });

  const noHost = 'http://nobody.invalid/rows.csv';
  for (const [url, reason] of [
    [`${stack().url}/rows.csv`, 'The server answers 404'],
    [noHost, 'nobody.invalid/rows.csv cannot be reached'],
  ] as const) {
    const { status, body } = await dryRun(url);
    expect({ status, path: body.details[0].path }).toEqual({ status: 400, path: 'source' });
    expect(body.details[0].message).toContain('URL_FAILED: ');
    expect(body.details[0].message).toContain(reason);
  }
  expect(await finish(tenant, await create(noHost))).toMatchObject({
    status: 'failed',
    error: { code: 'URL_FAILED', message: expect.stringContaining('cannot be reached') },
  });
});

test('a file at a URL is read behind redirects, and unpacked from what the server packs', async () => {
  const { url } = await web(({ path }) =>
    path === '/rows.csv'
      ? { headers: { 'content-encoding': 'gzip' }, body: gzipSync('name,n\na,1\nb,2\n') }
      : { status: 302, headers: { location: path === '/1' ? '/rows.csv' : '/1' } },
  );
  const table = tenantTable(documentClient(), stack().table, 'user:ada');
  const scope = { table, now: () => new Date(), newId };
  const settings = NewImport.parse({ source: { url: `${url}/2` }, type: 'place' });
  const plan = await planFileRows(await sourceOpener(scope)(settings, undefined), settings);
  expect(plan).toMatchObject({ lines: ['["a","1"]', '["b","2"]'], isAll: true, form: { format: 'csv' } });

  const round = await web(() => ({ status: 302, headers: { location: '/again' } }));
  const endless = NewImport.parse({ source: { url: round.url }, type: 'place' });
  await expect(
    sourceOpener(scope)(endless, undefined).then((source) => planFileRows(source, endless)),
  ).rejects.toThrow('redirects more than 5 times');
  expect(round.asked).toHaveLength(6);
});

test('a cancelled import keeps and counts what is stored, and stores no more', async () => {
  const tenant = await newTenant();
  const rows = 30_000;
  const id = await upload(tenant, `name\n${Array.from({ length: rows }, (_, n) => `row ${n}`).join('\n')}\n`);
  await tenant.call('POST', `/v1/imports/${id}/start`, { body: {} });
  const read = async () => (await tenant.call('GET', `/v1/imports/${id}`)).body;
  await eventually(async () => expect((await read()).rows.read).toBeGreaterThan(0));
  const cancelled = await tenant.call('POST', `/v1/imports/${id}/cancel`, { body: {} });
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  // Chunks that are being stored are counted at their end.
  await eventually(async () => {
    const { created } = (await read()).rows;
    const { body } = await tenant.call('GET', `/v1/records?importId=${id}&limit=1&includeCount=true`);
    const { totalCount, countIsMinimum } = body.pagination;
    expect(countIsMinimum ? created >= totalCount : created === totalCount).toBe(true);
  });
  expect((await read()).rows.created).toBeLessThan(rows);
});
