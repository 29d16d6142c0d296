import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { calls, createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { expectGoodScreen, openConsole, browserTest as test } from '../support/console/console.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import { newTenant } from '../support/stack/stack.ts';

const screen = (page: Page) => page.evaluate(() => location.hash);
const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });

test('the command palette finds flows, agents and record types by name, screens, actions and ids, by the keyboard alone', async () => {
  const tenant = await newTenant();
  const body = { name: 'Classify airports', flowSteps: [template('hello')] };
  const flow = await expectStatus(201, tenant.call('POST', '/v1/flows', { body }));
  await createScriptedAgent(tenant, {}, { name: 'Airport guide' });
  await createRecords(tenant, 'airport', 1);
  const { page } = await openConsole({ tenant });
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search or run a command' }).waitFor();
    await page.keyboard.type(text);
  };
  const found = (name: string) => palette(page).getByRole('menuitem', { name });
  await open('airport');
  for (const name of ['Classify airports', 'Airport guide', 'airport']) await found(name).first().waitFor();
  await expectGoodScreen(page);
  await page.keyboard.press('Escape');
  await palette(page).waitFor({ state: 'detached' });

  await open('classify air');
  await found('Classify airports').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Classify airports', level: 1 }).waitFor();

  await open('audit');
  await found('Audit log').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();

  await open(flow.id);
  await found(`Open flow ${flow.id}`).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Classify airports', level: 1 }).waitFor();

  await open('create flow');
  await found('Create flow').waitFor();
  await page.keyboard.press('Enter');
  const creation = page.getByRole('alertdialog', { name: 'Create flow' });
  await creation.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await creation.waitFor({ state: 'detached' });
  expect(await screen(page)).toBe('#/flows');

  await open('no such thing');
  await page.getByText('No results for “no such thing”').waitFor();
});

test('letters go to screens, except where one writes, and can be switched off', async () => {
  const { page } = await openConsole();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  await page.keyboard.press('/');
  const field = page.getByRole('searchbox', { name: 'Search by name' });
  await page.keyboard.type('ga?');
  expect(await field.inputValue()).toBe('ga?');
  expect(await screen(page)).toBe('#/flows');
  await page.getByRole('heading', { name: 'Flows', level: 1 }).click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  await expectGoodScreen(page);
  await dialog.getByLabel('Use letters as shortcuts').uncheck();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.keyboard.press('?');
  expect([await dialog.count(), await screen(page)]).toEqual([0, '#/flows']);
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
});

test('the account says what the session may do', async () => {
  const { page } = await openConsole({ permissions: ['FLOWS:READ'] });
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Permissions' }).click();
  await page.getByRole('dialog', { name: 'Permissions' }).getByText('FLOWS:READ').waitFor();
});

test('the account has an appearance, which stays', async () => {
  const { page } = await openConsole();
  const account = page.getByRole('button', { name: /^Account/ });
  const scheme = () => page.evaluate(() => document.documentElement.style.colorScheme);
  await account.click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect.poll(scheme).toBe('dark');
  await page.reload();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  expect(await scheme()).toBe('dark');
  await account.click();
  await expectGoodScreen(page);
});

test('the menu collapses, stays so, and is a drawer on a phone', async () => {
  const { page } = await openConsole();
  await page.getByRole('button', { name: 'Collapse the menu' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Expand the menu' }).waitFor();
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await expectGoodScreen(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Menu' });
  await drawer.waitFor();
  await expectGoodScreen(page);
  await drawer.getByRole('link', { name: 'Flows', exact: true }).click();
  await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
  await drawer.waitFor({ state: 'detached' });
});

test('the menu says how many runs are open', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  await run(tenant, agent.id, scripted(calls(['calculator', { expression: '1 + 1' }])));
  const { page } = await openConsole({ tenant });
  await page.getByRole('link', { name: 'Runs 1 open' }).waitFor();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await expectGoodScreen(page);
});

test('the menu counts the open runs for everybody who may read some of them', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  await run(tenant, agent.id, scripted(calls(['calculator', { expression: '1 + 1' }])));
  const { page } = await openConsole({ tenant, permissions: ['AGENTS:*'] });
  await page.getByRole('link', { name: 'Runs 1 open' }).waitFor();
});

test('a list shows the columns that one chose, also later', async () => {
  const tenant = await newTenant();
  await publishedFlow(tenant);
  const { page } = await openConsole({ tenant, screen: '/flows' });
  const heading = page.getByRole('columnheader', { name: 'Last run' });
  await heading.waitFor();
  await page.getByRole('button', { name: 'Columns of Flows' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Last run' }).click();
  await page.keyboard.press('Escape');
  await heading.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('columnheader', { name: 'Updated' }).waitFor();
  expect(await heading.count()).toBe(0);
});
