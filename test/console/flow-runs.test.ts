import type { Browser } from 'playwright-core';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { groupFailures } from '../../console/src/screens/runs/failure-groups.ts';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { browserTest, expectGoodScreen, goTo, openConsole } from '../support/console.ts';
import type { Tenant } from '../support/stack.ts';

const test = browserTest;

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function createFlow({ call }: Tenant, name: string, flowSteps: object[]): Promise<string> {
  const { body } = await call('POST', '/v1/flows', { body: { name, flowSteps } });
  return body.id;
}

const createRecord = async ({ call }: Tenant, name: string, metadata: object): Promise<string> =>
  (await call('POST', '/v1/records', { body: { type: 'city', name, metadata } })).body.id;

const mayorOf = (script: string) => ({
  type: 'transform-data',
  name: 'Find the mayor',
  config: { script, outputVariable: 'mayor' },
});

anyTest('failures are counted by record, and the most frequent reason is the first', () => {
  const row = (recordId: string, errorMessage: string) => ({
    ...{ recordId, recordName: recordId, stepName: 'Fetch', errorMessage },
  });
  const groups = groupFailures([row('a', 'No'), row('b', 'Late'), row('c', 'Late'), row('c', 'Late')]);
  expect(groups.map(({ reason, records }) => [reason, [...records.keys()]])).toEqual([
    ['Late', ['b', 'c']],
    ['No', ['a']],
  ]);
});

test('a flow runs on the records of a type; what failed is grouped, and runs again', async () => {
  const { page, tenant, complaints } = await openConsole(browser);
  const flowId = await createFlow(tenant, 'Mayors', [
    mayorOf(
      'if (!_record.metadata.mayor) throw new Error("There is no mayor"); return _record.metadata.mayor',
    ),
  ]);
  await createRecord(tenant, 'Nairobi', { mayor: 'Johnson' });
  const names = ['Atlantis', '<b>مدينة</b>'];
  for (const name of names) await createRecord(tenant, name, { lost: true });
  await goTo(page, `/flows/${flowId}/run`);
  await page.getByText('3 records match').waitFor();
  await expectGoodScreen(page);
  await page.getByLabel('Records at a time').fill('51');
  await page.getByText('A whole number from 1 to 50').waitFor();
  expect(await page.getByRole('button', { name: 'Run on 3 records' }).isDisabled()).toBe(true);
  await page.getByLabel('Records at a time').fill('5');
  await page.getByRole('button', { name: 'Run on 3 records' }).click();
  await page.getByText('3 of 3', { exact: true }).waitFor({ timeout: 20_000 });
  const [failures, steps] = ['Failures', 'Steps'].map((name) => page.getByRole('region', { name }));
  await failures?.getByText('2 × Find the mayor').click();
  await failures?.getByRole('link', { name: '<b>مدينة</b>' }).waitFor();
  await failures?.getByText('There is no mayor').waitFor();
  await steps?.getByRole('row').filter({ hasText: 'Johnson' }).waitFor();
  await expectGoodScreen(page);
  const first = page.url();
  await page.getByRole('button', { name: 'Run on the 2 failed records again' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Run again' }).click();
  await page.waitForURL((url) => url.href !== first);
  await page.getByText('2 of 2', { exact: true }).waitFor({ timeout: 20_000 });
  await page.getByText('Failed', { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
});

test('a run with a filter takes the matching records only, and can be cancelled', async () => {
  const { page, tenant } = await openConsole(browser);
  const wait = { type: 'wait-until', name: 'Wait', config: { delayMs: 3_600_000 } };
  const flowId = await createFlow(tenant, 'Slow', [wait]);
  await createRecord(tenant, 'Nairobi', { size: 4 });
  await createRecord(tenant, 'Lamu', { size: 1 });
  await goTo(page, `/flows/${flowId}/run`);
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel(/field/i).first().fill('size');
  await page.getByLabel(/value/i).first().fill('4');
  await page.getByText('1 record matches').waitFor();
  await page.getByRole('button', { name: 'Run on 1 record' }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  await page.getByText('0 of 1', { exact: true }).waitFor();
});
