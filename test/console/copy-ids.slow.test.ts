import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { goTo, openConsole, tabTo, browserTest as test } from '../support/console/console.ts';
import { oneOfEach } from '../support/stack/one-of-each.ts';

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Clicks the button of the first row that has it, which its row shows when one points at it. */
async function copyInList(page: Page, label: string) {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: label }) });
  await row.first().hover();
  await row.first().getByRole('button', { name: label }).click();
  return row.first();
}

test('one click copies the ID of a row, in every list, and opens nothing', async () => {
  const { page, tenant, complaints } = await openConsole({ clipboard: true });
  const own = await oneOfEach(tenant);
  const product = `/products/${own.product}`;
  const lists: [screen: string, label: string, kind: RegExp][] = [
    ['/flows', 'Copy flow ID', /^flow_/],
    [`/flows/${own.flow}/versions`, 'Copy version ID', /^flowver_/],
    ['/agents', 'Copy agent ID', /^agent_/],
    [`/agents/${own.agent}`, 'Copy capability ID', /^cap_/],
    [`/agents/${own.agent}/runs`, 'Copy run ID', /^exec_/],
    [`/agents/${own.agent}/versions`, 'Copy version ID', /^agentver_/],
    ['/products', 'Copy product ID', /^product_/],
    [product, 'Copy surface ID', /^surface_/],
    [`${product}/surfaces/${own.surface}`, 'Copy item ID', /^item_/],
    [`${product}/surfaces/${own.surface}`, 'Copy key ID', /^surfkey_/],
    ['/runs', 'Copy run ID', /^(batch|exec|toolrun)_/],
    ['/settings/api-keys', 'Copy API key ID', /^key_/],
    ['/settings/secrets', 'Copy secret ID', /^secret_/],
    ['/settings/provider-keys', 'Copy provider key ID', /^providerkey_/],
    ['/settings/models', 'Copy model config ID', /^modelcfg_/],
    ['/settings/tools', 'Copy tool ID', /^tool_/],
    ['/settings/client-tokens', 'Copy client token ID', /^clienttoken_/],
    ['/settings/audit-log', 'Copy target ID', /^[a-z]+_/],
  ];
  for (const [screen, label, kind] of lists) {
    await goTo(page, screen);
    const row = await copyInList(page, label);
    await expect.poll(() => copied(page), { message: label }).toMatch(kind);
    const id = await copied(page);
    const path = await row
      .getByRole('link')
      .first()
      .getAttribute('href', { timeout: 500 })
      .catch(() => null);
    if (path?.includes(kind.source.slice(1))) expect(path).toContain(id);
    expect(page.url()).toContain(`#${screen}`);
    expect(await page.getByRole('complementary', { name: 'Preview' }).count()).toBe(0);
  }
  expect(complaints).toEqual([]);
});

test('every page of a thing has its ID, short, and copies the whole of it', async () => {
  const { page, tenant } = await openConsole({ clipboard: true });
  const own = await oneOfEach(tenant);
  const pages: [screen: string, label: string, id: string | undefined][] = [
    [`/flows/${own.flow}`, 'Copy flow ID', own.flow],
    [`/agents/${own.agent}`, 'Copy agent ID', own.agent],
    [`/records/record/${own.record}`, 'Copy record ID', own.record],
    [`/runs/${own.run}`, 'Copy run ID', own.run],
    [`/runs/batches/${own.batch}`, 'Copy batch ID', own.batch],
    [`/runs/agents/${own.agent}/${own.agentexec}`, 'Copy run ID', own.agentexec],
    [`/products/${own.product}`, 'Copy product ID', own.product],
    [`/products/${own.product}/surfaces/${own.surface}`, 'Copy surface ID', own.surface],
    [`/settings/tools/${own.tool}`, 'Copy tool ID', own.tool],
    [`/settings/client-tokens/${own.clienttoken}`, 'Copy client token ID', own.clienttoken],
  ];
  for (const [screen, label, id = ''] of pages) {
    await goTo(page, screen);
    const head = page.locator('.page-title');
    await head.getByText(id.slice(-6)).waitFor();
    await head.getByRole('button', { name: label, exact: true }).click();
    await head.getByText('Copied', { exact: true }).waitFor({ state: 'attached' });
    expect([screen, await copied(page)]).toEqual([screen, id]);
  }
});

test('the keyboard alone copies the ID of a flow in its list, and of a run in the list of runs', async () => {
  const { page, tenant } = await openConsole({ clipboard: true });
  const own = await oneOfEach(tenant);
  await goTo(page, '/flows');
  await tabTo(page, 'button', 'Copy flow ID');
  const button = page.getByRole('button', { name: 'Copy flow ID' }).first();
  expect(await button.evaluate((element) => getComputedStyle(element).opacity)).toBe('1');
  await page.keyboard.press('Enter');
  await expect.poll(() => copied(page)).toMatch(/^flow_/);

  await goTo(page, '/runs?kind=batch');
  await page.getByRole('row', { name: /A flow/ }).waitFor();
  await tabTo(page, 'grid', 'Runs');
  await page.keyboard.press('Control+c');
  await page.getByText('ID copied').waitFor();
  expect(await copied(page)).toBe(own.batch);
});

test('a browser that does not allow it says so', async () => {
  const { page, tenant } = await openConsole();
  const own = await oneOfEach(tenant);
  await goTo(page, `/flows/${own.flow}`);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('No'));
  });
  await page.getByRole('button', { name: 'Copy flow ID' }).click();
  await page.getByText('The browser does not allow it').waitFor();
});
