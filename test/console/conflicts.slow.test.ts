import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, expectGoodScreen, goTo, openConsole } from '../support/console/console.ts';
import { createFlow, template } from '../support/flows/flows.ts';
import { newTenant } from '../support/stack/stack.ts';

const test = browserTest;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const conflict = (page: Page) => page.getByRole('alertdialog', { name: 'Someone else changed this' });

async function loadTheirs(page: Page) {
  await conflict(page).getByRole('button', { name: 'Discard mine' }).click();
  await button(page, 'Discard and reload').click();
  await conflict(page).waitFor({ state: 'detached' });
}

test('whoever saves a flow that somebody else saved meanwhile decides which of the two stays', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant, [template('Hello')]);
  const path = `/v1/flows/${id}`;
  const saveElsewhere = (text: string) => tenant.call('PUT', path, { body: { flowSteps: [template(text)] } });
  const storedName = async () => (await tenant.call('GET', path)).body.flowSteps[0].name;
  const { page, complaints } = await openConsole({ tenant, screen: `/flows/${id}` });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Mine');
  await saveElsewhere('Theirs');
  await button(page, 'Save').click();
  await conflict(page).getByText('just now').waitFor();
  await expectGoodScreen(page);
  expect(await storedName()).toBe('Theirs');
  await page.keyboard.press('Escape');
  expect(await name.inputValue()).toBe('Mine');
  await button(page, 'Save and publish').click();
  await button(page, 'Overwrite').click();
  await conflict(page).waitFor({ state: 'detached' });
  expect(await storedName()).toBe('Mine');
  await name.fill('Mine, again');
  await button(page, 'Save').click();
  await expect.poll(storedName).toBe('Mine, again');
  await saveElsewhere('Theirs, again');
  await button(page, 'Publish').click();
  await loadTheirs(page);
  await expect.poll(() => name.inputValue()).toBe('Theirs, again');
  await button(page, 'Publish').click();
  await page.getByText('Published. New runs use these steps').waitFor();
  expect(complaints).toEqual([]);
});

test('an editor begins with what is stored, though another version is cached', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant, [template('Before')]);
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  const name = page.getByLabel('Name', { exact: true });
  await expect.poll(() => name.inputValue()).toBe('Before');
  await goTo(page, `/flows/${id}/versions`);
  await page.getByRole('table', { name: 'Versions' }).waitFor();
  await tenant.call('PUT', `/v1/flows/${id}`, { body: { flowSteps: [template('After')] } });
  await goTo(page, `/flows/${id}`);
  expect(await name.inputValue()).toBe('After');
});

test('an agent asks too, but not for a capability, which is no part of what is edited', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const { body } = await tenant.call('POST', '/v1/agents', { body: { name: 'Guide', config: {} } });
  const path = `/v1/agents/${body.id}`;
  const { page } = await openConsole({ tenant, screen: `/agents/${body.id}` });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Mine');
  await tenant.call('POST', `${path}/capabilities`, { body: { toolName: 'greet', flowId: flow.id } });
  await button(page, 'Save').click();
  await page.getByText('Draft saved').waitFor();
  await name.fill('Mine, again');
  await tenant.call('PUT', path, { body: { description: 'Theirs' } });
  await button(page, 'Save').click();
  await button(page, 'Overwrite').click();
  await conflict(page).waitFor({ state: 'detached' });
  const { body: stored } = await tenant.call('GET', path);
  expect([stored.name, stored.description]).toEqual(['Mine, again', null]);
  await name.fill('Mine, at last');
  await tenant.call('PUT', path, { body: { name: 'Theirs' } });
  await button(page, 'Save').click();
  await loadTheirs(page);
  await expect.poll(() => name.inputValue()).toBe('Theirs');
});

test('the metadata of a record asks too, and before one leaves', async () => {
  const tenant = await newTenant();
  const fields = { type: 'airport', name: 'OSL', metadata: { city: 'Oslo' } };
  const { body } = await tenant.call('POST', '/v1/records', { body: fields });
  const path = `/v1/records/${body.id}`;
  const { page } = await openConsole({ tenant, screen: `/records/record/${body.id}` });
  await page.getByText('Oslo').waitFor();
  await tenant.call('PUT', path, { body: { metadata: { city: 'Bergen' } } });
  await button(page, 'Edit').click();
  const editor = page.getByRole('textbox', { name: 'Metadata as JSON' });
  await editor.getByText('Bergen').waitFor();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('{"city": "Mine"}');
  await page.getByRole('link', { name: 'Home' }).click();
  await button(page, 'Stay').click();
  await tenant.call('PUT', path, { body: { metadata: { city: 'Theirs' } } });
  await button(page, 'Save').click();
  await loadTheirs(page);
  await editor.getByText('Theirs').waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});
