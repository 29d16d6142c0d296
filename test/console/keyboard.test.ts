import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { openConsole, tabTo, browserTest as test } from '../support/console.ts';
import { publishedFlow } from '../support/flows.ts';

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function press(page: Page, role: 'button' | 'link', name: string | RegExp) {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}

/** Chooses from a list by typing the beginning of the choice. */
async function choose(page: Page, label: string, text: string) {
  await tabTo(page, 'combobox', label);
  await page.keyboard.type(text);
}

test('the airports are uploaded and a flow runs on a state, with the keyboard alone', async () => {
  const { page, tenant } = await openConsole(browser, { screen: '/records' });
  await publishedFlow(tenant);
  await page.getByText('Upload CSV').first().waitFor();
  await press(page, 'button', 'Upload CSV');
  const chooser = page.waitForEvent('filechooser');
  await press(page, 'button', /choose a file/i);
  await (await chooser).setFiles('examples/airports.csv');
  await page.getByLabel('Names come from').waitFor();
  await choose(page, 'Names come from', 'iata');
  await choose(page, 'Types come from', 'Column state');
  await press(page, 'button', 'Upload');
  await page.getByText(/3,376/).first().waitFor();
  await page.keyboard.press('Escape');
  await press(page, 'link', 'Flows');
  await page.getByRole('table', { name: 'Flows' }).waitFor();
  await press(page, 'link', 'A flow');
  await page.getByRole('link', { name: 'Run on records' }).waitFor();
  await press(page, 'link', 'Run on records');
  await page.getByLabel('Records of the type').waitFor();
  await choose(page, 'Records of the type', 'HI');
  await page.getByRole('button', { name: 'Run on 16 records' }).waitFor();
  await press(page, 'button', 'Run on 16 records');
  await page.getByText('16 of 16', { exact: true }).waitFor();
});

test('a product with a schedule is made with the keyboard alone', async () => {
  const { page, tenant } = await openConsole(browser, { screen: '/products' });
  const flow = await publishedFlow(tenant);
  const name = async (text: string) => {
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type(text);
  };
  await page.getByText('No products').waitFor();
  await press(page, 'button', /^Create a product/);
  await name('Morning report');
  await press(page, 'button', 'Create');
  await page.getByRole('alertdialog', { name: 'The test key of the product' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add a surface' }).waitFor();
  await press(page, 'button', 'Add a surface');
  await name('Every morning');
  await choose(page, 'Type', 'Schedule');
  await press(page, 'button', 'Add');
  await page.getByRole('button', { name: 'Create a schedule' }).waitFor();
  await press(page, 'button', 'Create a schedule');
  await choose(page, 'Flow', 'A flow');
  await press(page, 'button', 'Create');
  await page.getByRole('article').waitFor();
  const { body: products } = await tenant.call('GET', '/v1/products');
  const { body: product } = await tenant.call('GET', `/v1/products/${products.data[0].id}`);
  const path = `/v1/products/${product.id}/surfaces/${product.surfaces[0].id}/schedules`;
  expect((await tenant.call('GET', path)).body.data).toMatchObject([
    { flowId: flow.id, cron: '0 7 * * MON-FRI', enabled: true },
  ]);
});
