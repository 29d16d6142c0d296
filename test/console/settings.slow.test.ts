import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, expectGoodScreen, goTo, openConsole, tabTo } from '../support/console/console.ts';
import { newTenant, stack } from '../support/stack/stack.ts';

const test = browserTest;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a key is created with the permissions that one checks, shown once, rotated and deleted; the log has it', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/settings/api-keys' });
  await page.getByText('No API keys').waitFor();
  await button(page, 'Create key').click();
  const dialog = page.getByRole('alertdialog', { name: 'Create key' });
  // The first field has the focus as soon as the dialog is there.
  await expect.poll(() => dialog.getByLabel('Name').evaluate((field) => field.matches(':focus'))).toBe(true);
  await button(page, 'Create').click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Name').fill('Nightly import');
  await dialog.getByText('Secrets', { exact: true }).click();
  await dialog.getByLabel('SECRETS:READ').check();
  await button(page, 'Create').click();
  const shown = page.getByRole('alertdialog', { name: 'The new key' });
  const value = await shown.getByRole('group', { name: 'The value' }).innerText();
  expect(value.trim()).toMatch(/^tv_live_\w{40,}$/);
  await button(page, 'I stored it').click();
  const { body } = await tenant.call('GET', '/v1/api-keys');
  expect(body.apiKeys).toMatchObject([
    { name: 'Nightly import', permissions: expect.arrayContaining(['SECRETS:READ']) },
  ]);
  await page.getByRole('cell').getByTitle('SECRETS:READ').waitFor();
  await button(page, 'Rotate').click();
  await page
    .getByRole('alertdialog', { name: 'Rotate Nightly import?' })
    .getByRole('button', { name: 'Rotate' })
    .click();
  await button(page, 'I stored it').click();
  await button(page, 'Delete').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No API keys').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
  await goTo(page, '/settings/audit-log');
  for (const action of ['created', 'regenerated', 'deleted'])
    await page
      .getByText(new RegExp(`api-key\\.(${action}|rotated|renewed)`))
      .first()
      .waitFor();
  await expectGoodScreen(page);
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

test('a secret is created with the keyboard alone, and its value is nowhere afterwards', async () => {
  const { page, tenant } = await openConsole({ screen: '/settings/secrets' });
  await page.getByText('No secrets').waitFor();
  await tabTo(page, 'button', 'Create secret');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'Key');
  await page.keyboard.type('WEATHER_KEY');
  await page.keyboard.press('Tab');
  await page.keyboard.type('not for eyes 42');
  expect(await page.getByLabel('Value').getAttribute('type')).toBe('password');
  await page.keyboard.press('Enter');
  await page.getByRole('cell').getByText('WEATHER_KEY', { exact: true }).waitFor();
  expect(await page.content()).not.toContain('not for eyes');
  const { body } = await tenant.call('GET', '/v1/secrets');
  expect(body.data).toMatchObject([{ key: 'WEATHER_KEY', status: 'active' }]);
  for (const description of ['For the weather', '']) {
    await page.getByRole('button', { name: 'Edit WEATHER_KEY' }).click();
    await page.getByLabel('Description').fill(description);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    const { body: changed } = await tenant.call('GET', '/v1/secrets');
    expect(changed.data[0].description ?? '').toBe(description);
  }
});

test('every screen of the settings is accessible and fits a phone, with the longest names', async () => {
  const tenant = await newTenant();
  const name = `${'مفتاح طويل '.repeat(20)}x`.slice(0, 200);
  await tenant.call('POST', '/v1/api-keys', { body: { name } });
  await tenant.call('POST', '/v1/client-tokens', { body: { name, allowedOrigins: ['example.com'] } });
  await tenant.call('POST', '/v1/provider-keys', {
    body: { name, provider: 'openai', apiKey: 'sk-test-0123456789abcdef' },
  });
  await tenant.call('POST', '/v1/model-configs', { body: { provider: 'openai', modelId: 'gpt-5-mini' } });
  const options = { tenant, viewport: { width: 390, height: 800 } };
  const { page, complaints } = await openConsole({ ...options, screen: '/settings/api-keys' });
  for (const [screen, heading] of [
    ['api-keys', 'API keys'],
    ['provider-keys', 'Provider keys'],
    ['models', 'Models'],
    ['tools', 'Tools'],
    ['client-tokens', 'Client tokens'],
    ['audit-log', 'Audit log'],
    ['usage', 'Usage'],
    ['workspace', 'Workspace'],
  ] as const) {
    await goTo(page, `/settings/${screen}`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
    await expectGoodScreen(page);
  }
  expect(complaints).toEqual([]);
});

test('makes a client token for an agent chosen by its name, shows its screen, and gives it a new value', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/echo' };
  await tenant.call('POST', '/v1/agents', { body: { name: 'Airport guide', config } });
  const { page, complaints } = await openConsole({ tenant, screen: '/settings/client-tokens' });
  await page.getByRole('button', { name: 'Create' }).first().click();
  const form = page.getByRole('alertdialog', { name: 'Create client token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await form.getByRole('textbox', { name: 'Allowed origins 1' }).fill('example.com');
  await form.getByRole('checkbox', { name: 'Airport guide' }).check();
  await expectGoodScreen(page);
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alertdialog', { name: 'The client token' }).getByRole('button').last().click();
  await page.getByRole('link', { name: 'Shop' }).click();
  const value = page.getByRole('group', { name: 'Value' });
  const before = await value.textContent();
  expect(before).toMatch(/^ct_live_/);
  await page.getByText('1 agent, 0 flows').waitFor();
  await page.getByText('No conversations').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click();
  await expect.poll(() => value.textContent()).not.toBe(before);
  expect(complaints).toEqual([]);
});

test('Enter twice creates one key, whose value waits for the button; a dialog stays until its request has an answer', async () => {
  const { page, tenant } = await openConsole({ screen: '/settings/api-keys' });
  await page.getByText('No API keys').waitFor();
  const answer = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route('**/v1/api-keys', async (route) => {
    if (route.request().method() === 'POST') {
      sent.push('one');
      await answer.promise;
    }
    await route.continue();
  });
  await button(page, 'Create key').click();
  const dialog = page.getByRole('alertdialog', { name: 'Create key' });
  await dialog.getByLabel('Name').fill('Once');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await dialog.locator('[data-idle]').first().waitFor();
  await page.keyboard.press('Escape');
  expect(await button(page, 'Cancel').getAttribute('aria-disabled')).toBe('true');
  answer.resolve();
  const shown = page.getByRole('alertdialog', { name: 'The new key' });
  await shown.waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await button(page, 'I stored it').click();
  await shown.waitFor({ state: 'detached' });
  expect(sent).toEqual(['one']);
  expect((await tenant.call('GET', '/v1/api-keys')).body.apiKeys).toHaveLength(1);
});

test('what a model could not be set to is said', async () => {
  const tenant = await newTenant();
  await tenant.call('POST', '/v1/model-configs', { body: { provider: 'openai', modelId: 'gpt-5-mini' } });
  const { page } = await openConsole({ tenant, screen: '/settings/models' });
  await page.route('**/v1/model-configs/*/status', (route) =>
    route.fulfill({ status: 403, json: { error: 'Forbidden', details: 'Needs MODELS:WRITE' } }),
  );
  await page.getByRole('button', { name: /^Turn off/ }).click();
  await page.getByRole('alert').getByText('Needs MODELS:WRITE').waitFor();
});

test('limits of a model are set, and lifted when their fields are emptied', async () => {
  const tenant = await newTenant();
  const body = { provider: 'openai', modelId: 'gpt-5-mini', limits: { requestsPerMinute: 60 } };
  await tenant.call('POST', '/v1/model-configs', { body });
  const { page } = await openConsole({ tenant, screen: '/settings/models' });
  await page.getByRole('button', { name: /^Edit GPT/ }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Requests per minute').fill('');
  // The others are among the settings that are not shown at first.
  for (const summary of await dialog.locator('summary').all()) await summary.click();
  await dialog.getByLabel('Concurrent requests').fill('4');
  await dialog.getByLabel('Tokens per minute').fill('90000');
  await button(page, 'Save').click();
  await dialog.waitFor({ state: 'detached' });
  const { data } = (await tenant.call('GET', '/v1/model-configs')).body;
  expect(data).toMatchObject([{ limits: { maxConcurrent: 4, tokensPerMinute: 90_000 } }]);
  expect(data[0].limits).not.toHaveProperty('requestsPerMinute');
});

test('a question stays until it is known what came of it', async () => {
  const { page, tenant } = await openConsole({ screen: '/settings/secrets' });
  await tenant.call('POST', '/v1/secrets', { body: { key: 'WEATHER_KEY', value: '0123456789abcdef' } });
  await page.reload();
  const answer = Promise.withResolvers<void>();
  await page.route('**/v1/secrets/*', async (route) => {
    await answer.promise;
    await route.fulfill({ status: 500, json: { error: 'Not deleted' } });
  });
  await button(page, 'Delete').click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.locator('[data-idle]').first().waitFor();
  await page.keyboard.press('Escape');
  answer.resolve();
  await question.getByText('Not deleted').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
});

test('the audit log is asked once for an action that somebody types', async () => {
  const { page, requested } = await openConsole({ screen: '/settings/audit-log' });
  await page.getByText('No entries').waitFor();
  await page.getByLabel('Action').pressSequentially('api-key.created', { delay: 30 });
  const asked = () => requested.filter((url) => url.includes('action='));
  await expect.poll(asked).toHaveLength(1);
  expect(asked()[0]).toContain('action=api-key.created');
});

test('usage says what models cost by day and by model, and what each API key ran', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/echo' };
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: { name: 'Guide', config } });
  const { body: key } = await tenant.call('POST', '/v1/api-keys', {
    body: { name: 'Nightly import', permissions: ['AGENTS:EXECUTE'] },
  });
  const response = await fetch(`${stack().url}/v1/agents/${agent.id}/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.plainKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [{ role: 'user', content: 'Hi' }],
      options: { streamResponse: false },
    }),
  });
  expect(response.status, await response.text()).toBe(200);
  const { page, complaints } = await openConsole({ tenant, screen: '/settings/usage' });
  const keys = page.getByRole('table', { name: 'Usage by API key' });
  await keys.getByRole('row', { name: /^Nightly import .*\b1\b/ }).waitFor();
  await page.getByRole('table', { name: 'Usage by model' }).getByText('generic-openai/echo').waitFor();
  await page.getByRole('img', { name: 'Calls by day. 1 call in all.' }).waitFor();
  await page.getByRole('radio', { name: 'The last 365 days' }).check();
  await page.getByRole('img', { name: 'Calls by week. 1 call in all.' }).waitFor();
  await expectGoodScreen(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('an entry of the audit log shows what changed, before and after', async () => {
  const tenant = await newTenant();
  const { body } = await tenant.call('POST', '/v1/api-keys', { body: { name: 'Old name' } });
  const { apiKeys } = (await tenant.call('GET', '/v1/api-keys')).body;
  expect(body.plainKey).toBeTruthy();
  await tenant.call('PUT', `/v1/api-keys/${apiKeys[0].id}`, { body: { name: 'New name' } });
  const { page, complaints } = await openConsole({ tenant, screen: '/settings/audit-log' });
  await page.getByRole('columnheader').first().waitFor();
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    'When',
    'Action',
    'Target',
    'Who',
    'From',
    'Changes',
  ]);
  await page.getByRole('button', { name: 'Show changes of api-key.updated' }).click();
  const entry = page.getByRole('dialog', { name: 'api-key.updated' });
  await entry.getByRole('listitem').getByText('name').first().waitFor();
  expect(await entry.locator('del').allInnerTexts()).toEqual(['Old name']);
  expect(await entry.locator('ins').allInnerTexts()).toEqual(['New name']);
  await expectGoodScreen(page);
  await page.keyboard.press('Escape');
  await entry.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show changes of api-key.created' }).click();
  await page.getByRole('dialog').getByText('Old name').waitFor();
  expect(complaints).toEqual([]);
});

test('an error says beside the field what is wrong, and which request it was', async () => {
  const { page } = await openConsole({ screen: '/settings/api-keys' });
  await button(page, 'Create key').click();
  const dialog = page.getByRole('alertdialog', { name: 'Create key' });
  const refused = page.waitForResponse((response) => response.status() === 400);
  await button(page, 'Create').click();
  const requestId = (await refused).headers()['x-amzn-requestid'] ?? '';
  expect(requestId).not.toBe('');
  await dialog.getByRole('alert').getByText(requestId).waitFor();
  expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await button(page, 'Copy request ID').click();
  await dialog.getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(requestId);
  await expectGoodScreen(page);
});

test('the settings are in groups: a menu beside them, and one list on a phone', async () => {
  const { page } = await openConsole({ screen: '/settings/budgets' });
  const menu = page.getByRole('navigation', { name: 'Settings' });
  await menu.getByText('Spending').waitFor();
  expect(await menu.locator('[aria-current]').innerText()).toBe('Budgets');
  await menu.getByRole('link', { name: 'Client tokens' }).click();
  await page.getByRole('heading', { name: 'Client tokens', level: 1 }).waitFor();
  await expectGoodScreen(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await menu.getByRole('combobox', { name: 'Settings' }).selectOption('Audit log');
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  await expectGoodScreen(page);
});
