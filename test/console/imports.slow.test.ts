import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import { exportFile, importFile } from '../support/data/imports.ts';
import { uploadRows } from '../support/data/records.ts';
import {
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../support/flows/flows.ts';
import { newTenant, stack } from '../support/stack/stack.ts';

const choose = (page: Page, name: string, text: string | Buffer) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text as string) });

test('a file is dropped, mapped with its problems in the cells, imported, mended, and taken back', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/records' });
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await page.getByText('Drop a file here').waitFor();
  await expectGoodScreen(page);
  const lines = ['title;born;n', 'Ada;1815-12-10;1', 'Bob;10.12.1815;2', 'Cy;1990-01-01;3'];
  await choose(page, 'people-2026.csv.gz', gzipSync(lines.join('\n')));
  const rows = page.getByRole('table', { name: 'The first rows' });
  await rows.getByRole('cell', { name: 'Bob' }).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('title');
  expect(await page.getByLabel('Type of all rows').inputValue()).toBe('people');
  await page.getByText('No problem in the first 1,000 rows').waitFor();
  await page.getByLabel('What the column born is read as').selectOption('date');
  await page.getByLabel('Where the column born goes').fill('life.born');
  await page.getByLabel('Take the column n').uncheck();
  await rows.getByRole('cell', { name: '10.12.1815 Expected a date' }).waitFor();
  await page.getByText('1 of the first 1,000 rows has a problem').waitFor();
  await page.getByText('3 columns, 1 changed and 1 left out').waitFor();
  await expectGoodScreen(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Import about 3 rows' }).click();
  const skipped = page.getByRole('table', { name: 'Skipped rows' });
  await skipped.getByRole('cell', { name: 'born' }).waitFor();
  await page.getByRole('button', { name: 'Delete its records' }).waitFor();
  await expectGoodScreen(page);
  const stored = async () =>
    (await tenant.call('GET', '/v1/records')).body.data.map(
      ({ name, metadata }: Record<string, unknown>) => ({
        name,
        metadata,
      }),
    );
  expect(await stored()).toEqual([
    { name: 'Cy', metadata: { life: { born: '1990-01-01' } } },
    { name: 'Ada', metadata: { life: { born: '1815-12-10' } } },
  ]);

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download these rows' }).click();
  const problems = readFileSync(await (await downloading).path(), 'utf8');
  await page.getByRole('link', { name: 'Import mended rows' }).click();
  await choose(page, 'problems.csv', problems.replace('10.12.1815', '1815-12-10'));
  await page.getByText('No problem in the first 1,000 rows').waitFor();
  expect(await page.getByLabel('Where the column born goes').inputValue()).toBe('life.born');
  await page.getByRole('button', { name: 'Import about 1 row' }).click();
  await page.getByRole('button', { name: 'Delete its records' }).waitFor();
  expect(await stored()).toContainEqual({ name: 'Bob', metadata: { life: { born: '1815-12-10' } } });

  await goTo(page, '/records/imports');
  await page.getByRole('link', { name: 'people-2026.csv.gz' }).click();
  await page.getByRole('button', { name: 'Delete its records' }).click();
  await page.getByText('Delete all 2 records of this import?').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The records of this import are deleted.').waitFor();
  expect((await stored()).map(({ name }: { name: string }) => name)).toEqual(['Bob']);
  expect(complaints).toEqual([]);
});

test('a file changes the records that it finds by a column, and a broken one says why', async () => {
  const tenant = await newTenant();
  await uploadRows(tenant, 'part', [{ name: 'Bolt', sku: 'A1', stock: 3 }]);
  const { page } = await openConsole({ tenant, screen: '/records/type/part' });
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await choose(page, 'stock.jsonl', '{"sku":"A1","stock":5}\n{"sku":"B2","stock":1,"name":"Nut"}\n');
  await page.getByLabel('Rows whose record exists').selectOption('upsert');
  await page.getByLabel('Found by').selectOption('sku');
  expect(await page.getByLabel('Type of all rows').inputValue()).toBe('part');
  await page.getByRole('button', { name: 'Import about 2 rows' }).click();
  await page.getByText('Changed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Show records' }).click();
  await page.getByRole('heading', { name: 'part', level: 1 }).waitFor();
  const { body } = await tenant.call('GET', '/v1/records?type=part');
  expect(body.data).toMatchObject([
    { name: 'Nut', metadata: { sku: 'B2', stock: 1 } },
    { name: 'Bolt', metadata: { sku: 'A1', stock: 5 } },
  ]);

  await goTo(page, '/records/import');
  await choose(page, 'a.csv', '[{"name": "a"}]');
  await page.getByText('WRONG_FORMAT').waitFor();
  await expectGoodScreen(page);
});

test('a file at an address is read from there, and an address that cannot be read says why', async () => {
  const tenant = await newTenant();
  await importFile(tenant, 'name,n\na,1\nb,2\n');
  const { done } = await exportFile(tenant, { what: 'records', format: 'csv' });
  const { page } = await openConsole({ tenant, screen: '/records/import' });
  const address = page.getByLabel('Or from an address');
  const read = page.getByRole('button', { name: 'Read the first rows' });
  await address.fill('shops.csv');
  await read.click();
  await page.getByText('Enter a whole address').waitFor();
  await expectGoodScreen(page);
  await address.fill(`${stack().url}/missing.csv`);
  await read.click();
  await page.getByText('URL_FAILED: The server answers 404').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('link', { name: 'Choose another file or address' }).click();
  await address.fill(done.url);
  await address.press('Enter');
  await page.getByRole('table', { name: 'The first rows' }).getByRole('cell', { name: 'b' }).waitFor();
  expect(await page.getByLabel('Type of all rows').inputValue()).toBe('export');
  await page.getByRole('button', { name: 'Import about 2 rows' }).click();
  await page.getByRole('button', { name: 'Delete its records' }).waitFor();
  const { body } = await tenant.call('GET', '/v1/records?type=export');
  expect(body.data.map(({ name }: { name: string }) => name).toSorted()).toEqual(['a', 'b']);
});

test('sending a file shows how far it is, can be stopped, and is repeated after the connection broke off', async () => {
  const { page, tenant } = await openConsole({ screen: '/records/import' });
  let fails = true;
  const held = Promise.withResolvers<void>();
  await page.route('**/payloads/jobs/**', async (route) => {
    if (fails) return route.abort('connectionreset');
    await held.promise;
    return route.continue();
  });
  await choose(page, 'a.csv', 'name\nfirst\n');
  await page.getByText('The connection to the storage broke off').waitFor();
  await expectGoodScreen(page);
  fails = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Sending a.csv').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('link', { name: 'Flows', exact: true }).click();
  await page.getByText('Stop sending the file?').waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Drop a file here').waitFor();
  held.resolve();
  const statuses = async () =>
    (await tenant.call('GET', '/v1/imports')).body.data.map(({ status }: { status: string }) => status);
  await expect.poll(statuses).toEqual(['cancelled']);
});

test('records as filtered, the results of a batch, and runs are written to files', async () => {
  const tenant = await newTenant();
  await importFile(tenant, 'name,n\na,1\nb,2\nc,3\n');
  const flow = await publishedFlow(tenant, [template('Hello {{ _record.name }}', 'greeting')]);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'place'));
  await finishedBatch(tenant, batchId);
  const { page, complaints } = await openConsole({ tenant, screen: '/records/type/place?search=b' });
  async function write(format: string) {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('radio', { name: format, exact: true }).check();
    await expectGoodScreen(page);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Write the file' }).click();
    const text = readFileSync(await (await downloading).path(), 'utf8');
    await page.getByText('The file is ready').waitFor();
    await page.keyboard.press('Escape');
    return text;
  }
  await page.getByRole('link', { name: 'b', exact: true }).waitFor();
  expect(await write('CSV')).toBe('name,type,n\r\nb,place,2\r\n');
  await goTo(page, `/runs/batches/${batchId}`);
  const results = (await write('JSON Lines')).trim().split('\n');
  expect(results.map((line) => JSON.parse(line).greeting).toSorted()).toEqual([
    'Hello a',
    'Hello b',
    'Hello c',
  ]);
  await goTo(page, '/runs?status=failed,cancelled&tag=x');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('The file is not narrowed by Tag').waitFor();
  await page.keyboard.press('Escape');
  await goTo(page, '/runs?status=failed,completed');
  expect(await write('CSV')).toContain(batchId);
  await goTo(page, '/records/imports');
  await page
    .getByRole('table', { name: 'Exports' })
    .getByRole('link', { name: /JSON Lines/ })
    .waitFor();
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('a large file is sent in parts, and only what is missing after a break', async () => {
  const { page, tenant } = await openConsole({ screen: '/records/import' });
  const path = join(tmpdir(), `large-${tenant.tenant.replaceAll(/\W/g, '')}.csv`);
  const line = `,${'x'.repeat(200_000)}\n`;
  writeFileSync(path, `name,note\n${Array.from({ length: 520 }, (_, n) => `n${n}${line}`).join('')}`);
  try {
    const sent: string[] = [];
    let broken = 0;
    await page.route(/partNumber=2(&|$)/, (route) => {
      broken++;
      return broken <= 4 ? route.abort() : route.continue();
    });
    page.on('request', (request) => {
      const number = new URL(request.url()).searchParams.get('partNumber');
      if (request.method() === 'PUT' && number) sent.push(number);
    });
    await page.locator('input[type=file]').setInputFiles(path);
    const again = page.getByRole('button', { name: 'Try again' });
    await again.click({ timeout: 60_000 });
    await page.getByRole('table', { name: 'The first rows' }).waitFor({ timeout: 60_000 });
    expect(sent).toEqual(['1', '2', '2', '2', '2', '2']);
  } finally {
    rmSync(path);
  }
});
