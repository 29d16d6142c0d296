import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, openConsole, tabTo, browserTest as test } from '../support/console/console.ts';
import { expectStatus, template } from '../support/flows/flows.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const step = (name: string, text = name) => ({ ...template(text), name });
const condition = {
  type: 'conditional',
  name: 'Is it long?',
  config: { condition: 'true', trueSteps: [step('Shorten')], falseSteps: [] },
};

async function openGraph(flowSteps: object[]): Promise<{ page: Page; tenant: Tenant; id: string }> {
  const tenant = await newTenant();
  const body = { name: 'Texts', flowSteps };
  const { id } = await expectStatus(201, tenant.call('POST', '/v1/flows', { body }));
  await expectStatus(200, tenant.call('POST', `/v1/flows/${id}/publish`));
  const run = { flow: { id }, options: { streamResponse: false } };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body: run }));
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  await page.getByRole('radio', { name: 'Graph' }).check();
  await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().waitFor();
  return { page, tenant, id };
}

const node = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) });
const names = (page: Page) =>
  page.getByRole('treeitem').evaluateAll((all) => all.map((each) => each.querySelector('bdi')?.textContent));

test('the graph shows each step with what it did in the last run, and edits steps inside of conditions', async () => {
  const { page, tenant, id } = await openGraph([step('First'), condition, step('Last')]);
  for (const name of ['First', 'Is it long?', 'Shorten', 'Last'])
    await node(page, name.replace('?', '\\?')).getByText('Completed').waitFor();
  await expectGoodScreen(page);
  await node(page, 'Shorten').click();
  const form = page.getByRole('region', { name: 'Step Shorten' });
  await form.getByLabel('Name', { exact: true }).fill('Cut');
  await node(page, 'Cut').waitFor();

  // The last place of the other branch is its first.
  await page.getByRole('button', { name: 'Add step at the beginning' }).nth(2).click();
  await page.getByRole('dialog', { name: 'Add step' }).getByRole('button', { name: 'Template' }).click();
  const added = page.getByRole('region', { name: 'Step Template' });
  await added.waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await names(page)).toEqual(['First', 'Is it long?', 'Cut', 'Last']);
  await page.getByRole('button', { name: 'Redo' }).click();
  expect(await names(page)).toEqual(['First', 'Is it long?', 'Cut', 'Template', 'Last']);
  await node(page, 'Template').click();
  await added.getByRole('textbox', { name: 'Template' }).fill('short');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
  const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${id}`));
  expect(flowSteps[1].config).toMatchObject({
    trueSteps: [{ name: 'Cut' }],
    falseSteps: [{ name: 'Template', type: 'template', config: { template: 'short' } }],
  });
});

test('with the keyboard alone: one goes through the graph, moves a step, removes one and takes it back', async () => {
  const { page } = await openGraph([step('One'), condition, step('Two'), step('Three')]);
  await tabTo(page, 'treeitem', /^One/);
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('bdi')?.textContent);
  for (const name of ['Is it long?', 'Shorten', 'Two', 'Three']) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe(name);
  }
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => names(page)).toEqual(['One', 'Is it long?', 'Shorten', 'Three', 'Two']);
  await page.keyboard.press('Home');
  await expect.poll(focused).toBe('One');
  await tabTo(page, 'button', 'Remove');
  await page.keyboard.press('Enter');
  await expect.poll(() => names(page)).toEqual(['Is it long?', 'Shorten', 'Three', 'Two']);
  await page.getByRole('button', { name: 'Undo' }).last().press('Enter');
  await expect.poll(() => names(page)).toEqual(['One', 'Is it long?', 'Shorten', 'Three', 'Two']);
});

test('a large flow is drawn where one looks', async () => {
  const { page } = await openGraph([step('Start')]);
  const many = Array.from({ length: 400 }, (_, n) => step(`Step ${n}`));
  await page.route('**/v1/flows/*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), flowSteps: many } });
  });
  await page.reload();
  await node(page, 'Step 0').waitFor();
  expect((await names(page)).length).toBeLessThan(60);
  await tabTo(page, 'treeitem', /^Step 0/);
  await page.keyboard.press('End');
  await node(page, 'Step 399').waitFor();
  expect((await names(page)).length).toBeLessThan(60);
  await page.getByRole('button', { name: 'Fit' }).click();
  await page.getByText('25 %').waitFor();
});
