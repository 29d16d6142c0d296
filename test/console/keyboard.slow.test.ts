import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createScriptedAgent, scripted } from '../support/agents/agent-runs.ts';
import { goTo, openConsole, tabTo, browserTest as test } from '../support/console/console.ts';
import { expectStatus, publishedFlow, template } from '../support/flows/flows.ts';

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
  const { page, tenant } = await openConsole({ screen: '/records' });
  await publishedFlow(tenant);
  await press(page, 'link', 'Import');
  const chooser = page.waitForEvent('filechooser');
  await press(page, 'button', /choose a file/i);
  await (await chooser).setFiles('examples/airports.csv');
  await page.getByRole('table', { name: 'The first rows' }).waitFor();
  await choose(page, 'Name', 'iata');
  await choose(page, 'Type', 'Column state');
  await press(page, 'button', /^Import about/);
  await page.getByText(/3,376/).first().waitFor();
  await page.getByText('The import is completed').waitFor();
  await press(page, 'link', 'Flows');
  await page.getByRole('table', { name: 'Flows' }).waitFor();
  await press(page, 'link', 'A flow');
  await page.getByRole('link', { name: 'Run on records' }).waitFor();
  await press(page, 'link', 'Run on records');
  await page.getByLabel('Record type').waitFor();
  await choose(page, 'Record type', 'HI');
  await page.getByRole('button', { name: 'Run on 16 records' }).waitFor();
  await press(page, 'button', 'Run on 16 records');
  await page.getByText('16 of 16', { exact: true }).waitFor();
});

test('a product with a schedule is made with the keyboard alone', async () => {
  const { page, tenant } = await openConsole({ screen: '/products' });
  const flow = await publishedFlow(tenant);
  const name = async (text: string) => {
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type(text);
  };
  await page.getByText('No products').waitFor();
  await press(page, 'button', /^Create product/);
  await name('Morning report');
  await press(page, 'button', 'Create');
  await page.getByRole('alertdialog', { name: 'The test key of the product' }).waitFor();
  await press(page, 'button', 'I stored it');
  await page.getByRole('button', { name: 'Add surface' }).waitFor();
  await press(page, 'button', 'Add surface');
  await name('Every morning');
  await choose(page, 'Type', 'Schedule');
  await press(page, 'button', 'Add');
  await page.getByRole('button', { name: 'Create schedule' }).waitFor();
  await press(page, 'button', 'Create schedule');
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

test('versions of a flow are compared, and an earlier one is used again, with the keyboard alone', async () => {
  const { page, tenant, complaints } = await openConsole();
  const greeting = (word: string) => [{ ...template(word, 'greeting'), id: 'greet', name: 'Greet' }];
  const flow = await publishedFlow(tenant, greeting('Jambo'));
  const path = `/v1/flows/${flow.id}`;
  await expectStatus(200, tenant.call('PUT', path, { body: { flowSteps: greeting('Habari') } }));
  await expectStatus(200, tenant.call('POST', `${path}/publish`));
  await goTo(page, `/flows/${flow.id}/versions`);
  await press(page, 'button', 'Compare version 2');
  await page.getByText('1 step differs').waitFor();
  await press(page, 'button', 'Go back');
  await page.getByRole('alertdialog', { name: 'Go back to version 1?' }).waitFor();
  // Behind Cancel, which has the focus.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('New runs use this version', { exact: true }).waitFor();
  const published = await tenant.call('GET', `/v1/flow-versions/${flow.id}/published`);
  expect(published.body.flowConfig.steps[0].config.template).toBe('Jambo');
  expect(complaints).toEqual([]);
});

test('a call of a tool is allowed, and another one denied, in a chat with the keyboard alone', async () => {
  const { page, tenant, complaints } = await openConsole();
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const agent = await createScriptedAgent(tenant, { tools });
  await goTo(page, `/agents/${agent.id}/chat`);
  const calls = [{ name: 'calculator', arguments: { expression: '6*7' } }];
  for (const [place, decision] of ['Allow', 'Deny'].entries()) {
    await tabTo(page, 'textbox', 'Message');
    await page.keyboard.insertText(scripted({ toolCalls: calls }, { text: `Answer ${place}` }));
    await page.keyboard.press('Enter');
    await page.getByText('May the agent call').waitFor();
    await press(page, 'button', decision);
    await page.getByText(`Answer ${place}`, { exact: true }).waitFor();
    await press(page, 'button', 'New chat');
  }
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions`));
  expect(data).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  expect(complaints).toEqual([]);
});
