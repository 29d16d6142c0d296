import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, openConsole, browserTest as test } from '../support/console/console.ts';
import type { Tenant } from '../support/stack/stack.ts';

const lines = ['name,state', 'SFO,CA', 'JFK,NY', 'LAX,CA', 'SEA,WA', 'BOS,MA'];
const csv = (...rows: string[]) => ({
  name: 'airports.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(rows.join('\n')),
});

async function choose(page: Page) {
  await page.getByRole('button', { name: 'Upload CSV' }).click();
  await page.locator('input[type=file]').setInputFiles(csv(...lines));
  await page.getByLabel('Type', { exact: true }).fill('airport');
}

/** The service does the first two rows, and does not answer for those from line 4 on. */
async function withSlowService(page: Page, tenant: Tenant) {
  const asked: (string | undefined)[] = [];
  await page.route('**/v1/records/upload-csv', async (route) => {
    const from = /name="fromLine"\r\n\r\n(\d+)/.exec(route.request().postData() ?? '')?.[1];
    asked.push(from);
    if (asked.length > 2) return route.continue();
    if (asked.length === 2) return;
    const body = new FormData();
    body.append('file', new File([lines.slice(0, 3).join('\n')], 'rows.csv'));
    body.append('typeValue', 'airport');
    const { body: answer } = await tenant.call('POST', '/v1/records/upload-csv', { body });
    const late = 'Line 4: the time limit was reached before this row; upload the file again with fromLine=4';
    return route.fulfill({
      status: 201,
      contentType: 'application/json',
      body: JSON.stringify({ ...answer, errors: 1, errorDetails: [late], nextLine: 4 }),
    });
  });
  return asked;
}

test('an upload that is stopped ends at once, and goes on later from where it was', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/records' });
  await page.getByText('No records').waitFor();
  const asked = await withSlowService(page, tenant);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/upload-csv'));
  await choose(page);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByText('2 so far').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Stop the upload?').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Keep it running' }).click();
  await page.getByText('2 so far').waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('alertdialog', { name: 'Stop the upload?' })
    .getByRole('button', { name: 'Stop' })
    .click();
  await ended;
  await page.getByText('Not finished: 2 records were created').waitFor();
  expect(await page.getByText('left out').count()).toBe(0);
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Continue from line 4' }).click();
  await page.getByText('5 records were created').waitFor();
  expect(await page.getByText('left out').count()).toBe(0);
  expect(asked).toEqual([undefined, '4', '4']);
  const { body } = await tenant.call('GET', '/v1/records?type=airport');
  expect(body.data).toHaveLength(5);
  expect(complaints).toEqual([]);
});

test('another plan for the same file begins at its first row', async () => {
  const { page, tenant } = await openConsole({ screen: '/records' });
  await page.getByText('No records').waitFor();
  const asked = await withSlowService(page, tenant);
  await choose(page);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByText('2 so far').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Continue from line 4' }).waitFor();
  await page.getByLabel('Type', { exact: true }).fill('port');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByText('5 records were created').waitFor();
  expect(asked).toEqual([undefined, '4', undefined]);
});

test('a file that the service refuses can be chosen again', async () => {
  const { page } = await openConsole({ screen: '/records' });
  await page.getByText('No records').waitFor();
  await page.getByRole('button', { name: 'Upload CSV' }).click();
  await page.locator('input[type=file]').setInputFiles(csv('name,state'));
  await page.getByLabel('Type', { exact: true }).fill('airport');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByText('The file has no rows below its header').waitFor();
  expect(await page.getByText('Not finished').count()).toBe(0);
  await page.locator('input[type=file]').setInputFiles(csv(...lines));
  await page.getByRole('cell', { name: 'SFO' }).waitFor();
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByText('5 records were created').waitFor();
});
