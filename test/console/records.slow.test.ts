import { expect } from 'vitest';
import {
  browserTest,
  expectGoodScreen,
  goTo,
  openConsole,
  screenAddress,
  tabTo,
} from '../support/console/console.ts';
import { newRecord, uploadRows } from '../support/data/records.ts';
import { publishedFlow, runFlowOnRecords, template } from '../support/flows/flows.ts';
import { newTenant } from '../support/stack/stack.ts';

const test = browserTest;

const rows = Array.from({ length: 60 }, (_, index) => ({
  name: `Airport ${index}`,
  state: index % 2 ? 'CA' : 'TX',
  elevation: index * 10,
}));

test('filters a table by the keyboard alone, and keeps the filter and columns in the address', async () => {
  const tenant = await newTenant();
  await uploadRows(tenant, 'airport', rows);
  const { page, complaints } = await openConsole({ tenant, screen: '/records/type/airport' });
  await page.getByRole('link', { name: 'Airport 59' }).waitFor();
  await page.locator('summary', { hasText: 'Filter' }).focus();
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Add condition');
  await page.keyboard.press('Enter');
  await tabTo(page, 'combobox', 'Field of condition 1');
  await page.keyboard.type('state');
  await tabTo(page, 'textbox', 'Value of condition 1');
  await page.keyboard.type('CA');
  await page.getByText('30 records match').waitFor();
  await tabTo(page, 'button', 'Apply filter');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Airport 58' }).waitFor({ state: 'detached' });
  await page.getByText('Columns (2)').click();
  await page.getByRole('checkbox', { name: 'elevation' }).uncheck();
  await page.getByRole('columnheader', { name: 'elevation' }).waitFor({ state: 'detached' });
  await page.getByText('Columns (1)').click();
  await expectGoodScreen(page);
  await page.reload();
  await page.getByText('Filter (1)').waitFor();
  await page.getByRole('link', { name: 'Airport 59' }).waitFor();
  expect(await page.getByRole('link', { name: 'Airport 58' }).count()).toBe(0);
  expect(await page.getByRole('columnheader', { name: 'elevation' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('shows the rows in view after a long filter above the table is closed and opened', async () => {
  const tenant = await newTenant();
  await uploadRows(tenant, 'airport', rows);
  const condition = { field: 'name', op: 'contains', value: 'Airport' };
  const where = { op: 'and', conditions: Array.from({ length: 45 }, () => condition) };
  const { page, complaints } = await openConsole({
    tenant,
    screen: `/records/type/airport?where=${encodeURIComponent(JSON.stringify(where))}`,
  });
  await page.getByRole('link', { name: 'Airport 59' }).waitFor();
  // The page has its new height only when the filter is shown: until then it cannot be scrolled this far.
  const rowInTheMiddle = (scrolledTo: number) =>
    page.evaluate((top) => {
      window.scrollTo(0, top);
      return document.elementFromPoint(640, 450)?.closest('tr')?.getAttribute('data-index') ?? 'none';
    }, scrolledTo);
  for (const scrolledTo of [1_200, 2_500]) {
    await page.getByText('Filter (45)').click();
    await expect.poll(() => rowInTheMiddle(scrolledTo)).toMatch(/\d/);
    await page.evaluate(() => window.scrollTo(0, 0));
  }
  expect(complaints).toEqual([]);
});

test('edits many records after a try without writing, and deletes those that are selected', async () => {
  const tenant = await newTenant();
  const ids = await uploadRows(tenant, 'airport', rows.slice(0, 3));
  const { page } = await openConsole({ tenant, screen: '/records/type/airport' });
  await page.getByRole('link', { name: 'Airport 2' }).waitFor();
  await page.getByRole('button', { name: 'Edit in bulk' }).click();
  await page.getByLabel('Field of change 1').fill('state');
  await page.getByLabel('Value of change 1').fill('NY');
  await page.getByRole('button', { name: 'Try without writing' }).click();
  await page.getByText('3 records would have these values').waitFor();
  await expectGoodScreen(page);
  const stateOf = async (name: string) =>
    (await tenant.call('GET', `/v1/records/${ids.get(name)}`)).body.metadata?.state;
  expect(await stateOf('Airport 0')).toBe('TX');
  await page.getByRole('button', { name: 'Update 3 records' }).click();
  await page.getByRole('cell', { name: 'NY' }).nth(2).waitFor();
  expect(await stateOf('Airport 0')).toBe('NY');

  await page.getByRole('checkbox', { name: 'Select Airport 1' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Delete 1 record?').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'Airport 1' }).waitFor({ state: 'detached' });
  expect((await tenant.call('GET', `/v1/records/${ids.get('Airport 1')}`)).status).toBe(404);
  expect((await tenant.call('GET', `/v1/records/${ids.get('Airport 2')}`)).status).toBe(200);
});

test('selected records are edited with the keyboard alone', async () => {
  const tenant = await newTenant();
  const ids = await uploadRows(tenant, 'airport', rows.slice(0, 2));
  const { page } = await openConsole({ tenant, screen: '/records/type/airport' });
  const press = async (name: string) => {
    await tabTo(page, 'button', name);
    await page.keyboard.press('Enter');
  };
  await tabTo(page, 'checkbox', 'Select Airport 1');
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await press('Edit in bulk');
  expect(await page.getByLabel('Which records').inputValue()).toBe('selected');
  for (const [field, value] of [
    ['Field of change 1', 'elevation'],
    ['Value of change 1', '7'],
  ] as const) {
    await tabTo(page, 'textbox', field);
    await page.keyboard.type(value);
  }
  await tabTo(page, 'combobox', 'Kind of change 1');
  await page.keyboard.type('set to the J');
  await press('Try without writing');
  await page.getByText('1 record would have these values').waitFor();
  await press('Update 1 record');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  const elevationOf = async (name: string) =>
    (await tenant.call('GET', `/v1/records/${ids.get(name)}`)).body.metadata.elevation;
  expect(await elevationOf('Airport 1')).toBe(7);
  expect(await elevationOf('Airport 0')).toBe('0');
});

test('only rows that the table shows are selected', async () => {
  const tenant = await newTenant();
  await uploadRows(tenant, 'airport', rows);
  const { page } = await openConsole({ tenant, screen: '/records/type/airport' });
  const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
  await select('Airport 51').check();
  await select('Airport 59').check();
  await page.getByText('2 selected').waitFor();
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.fill('Airport 51');
  await page.getByText('1 selected').waitFor();
  expect(await select('Airport 51').isChecked()).toBe(true);
  await search.fill('');
  await select('Airport 59').waitFor();
  await page.getByText('1 selected').waitFor();
  expect(await select('Airport 59').isChecked()).toBe(false);
  await search.fill('Airport 3');
  await page.getByRole('checkbox', { name: 'Select the 11 loaded' }).check();
  await page.getByText('11 selected').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No record matches').waitFor();
  expect((await tenant.call('GET', '/v1/records?type=airport&limit=100')).body.data).toHaveLength(49);
});

test('a link to another search and filter of the same type shows what it says; one that is broken says so', async () => {
  const tenant = await newTenant();
  await uploadRows(tenant, 'airport', rows);
  const { page } = await openConsole({
    tenant,
    screen: '/records/type/airport?search=Airport%2051',
  });
  const shown = (name: string) => page.getByRole('link', { name, exact: true });
  const search = page.getByRole('searchbox', { name: 'Search' });
  await shown('Airport 51').waitFor();
  await goTo(page, '/records/type/airport?search=Airport%2059');
  await shown('Airport 59').waitFor();
  expect(await search.inputValue()).toBe('Airport 59');
  const where = JSON.stringify({ field: 'name', op: 'endsWith', value: '59' });
  await goTo(page, `/records/type/airport?where=${encodeURIComponent(where)}`);
  await expect.poll(() => search.inputValue()).toBe('');
  await page.getByText('Filter (1)').waitFor();
  await page.getByText('Filter (1)').click();
  expect(await page.getByLabel('Value of condition 1').inputValue()).toBe('59');
  await page.getByRole('button', { name: 'Apply filter' }).click();
  await shown('Airport 59').waitFor();
  // Longer than the pause after which a search is applied.
  await page.waitForTimeout(500);
  expect(page.url()).toContain('endsWith');
  await goTo(page, '/records/type/airport?where=%7B%22conditions%22%3A5%7D');
  await page.getByText('The filter in the address cannot be read').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('link', { name: 'Records' }).first().click();
  await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor();
});

test('a record with an extreme name fits a phone, and its metadata can be changed', async () => {
  const tenant = await newTenant();
  const name = 'م<b>طار</b>'.repeat(50).slice(0, 255);
  const { id } = await newRecord(tenant, { name, metadata: { state: 'CA', nested: { a: 1 } } });
  const { page } = await openConsole({
    tenant,
    screen: `/records/record/${id}`,
  });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByText('No results yet').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  const editor = page.getByRole('textbox', { name: 'Metadata as JSON' });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('[1]');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Expected a JSON object').waitFor();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('{"state": "NY"}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect((await tenant.call('GET', `/v1/records/${id}`)).body.metadata).toEqual({ state: 'NY' });
  await goTo(page, '/records/type/a');
  await page.getByRole('table').waitFor();
  await expectGoodScreen(page);
});

test('a record shows what a flow made of it, and each step', async () => {
  const tenant = await newTenant();
  const { id } = await newRecord(tenant, { type: 'airport', name: 'SFO' });
  const flow = await publishedFlow(tenant, [template('Hello {{ _record.name }}', 'greeting')]);
  await runFlowOnRecords(tenant, flow.id, 'airport');
  const results = async () => (await tenant.call('GET', `/v1/records/${id}/results`)).body.data.length;
  await expect.poll(results, { timeout: 10_000 }).toBe(1);
  const { page, complaints } = await openConsole({ tenant, screen: `/records/record/${id}` });
  await page.locator('.records-result > summary').click();
  expect(await page.getByRole('group', { name: 'Result 1' }).innerText()).toContain('Hello SFO');
  await page.getByText('Each step').click();
  await page.getByRole('table', { name: 'Steps' }).getByText('Hello SFO').waitFor();
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('shows the beginning of a large output, also of one that has no place beside another', async () => {
  const tenant = await newTenant();
  const { id } = await newRecord(tenant, { type: 'airport', name: 'SFO' });
  const script = "return Array.from({ length: 30_000 }, (_, n) => ({ n, text: 'x'.repeat(75) }))";
  const steps = [{ type: 'transform-data', name: 'Much', config: { script } }];
  const flow = await publishedFlow(tenant, steps);
  const results = async () => (await tenant.call('GET', `/v1/records/${id}/results?limit=1`)).body;
  for (const hasMore of [false, true]) {
    await runFlowOnRecords(tenant, flow.id, 'airport');
    await expect.poll(results).toMatchObject({ data: [{ status: 'completed' }], pagination: { hasMore } });
  }
  const { page, complaints } = await openConsole({ tenant, screen: `/records/record/${id}` });
  for (const place of [0, 1]) {
    const result = page.locator('.records-result').nth(place);
    await result.locator('summary').click();
    await result.getByText('20.0 KB of 3.4 MB').waitFor();
  }
  const last = page.getByRole('group', { name: 'Result 2' });
  const length = async () => (await last.innerText()).length;
  expect(await length()).toBeLessThan(25_000);
  await page.getByRole('button', { name: 'Show more' }).last().click();
  await expect.poll(length).toBeGreaterThan(100_000);
  await expectGoodScreen(page);
  await page.goto(screenAddress(`/flows/${flow.id}/try`));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('The run succeeded').waitFor();
  await page.getByText('20.0 KB of 3.4 MB').waitFor();
  expect(complaints).toEqual([]);
});

test('a session that may not read records sees which permission is missing', async () => {
  const { page } = await openConsole({ screen: '/records', permissions: ['FLOWS:READ'] });
  await page.getByText('RECORDS:READ').waitFor();
  await goTo(page, '/records/type/airport');
  await page.getByText('RECORDS:READ').first().waitFor();
  await expectGoodScreen(page);
});
