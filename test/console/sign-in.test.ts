import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { noBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { browserTest, consoleAddress, expectGoodScreen, goTo, openConsole } from '../support/console.ts';
import { tenantWithKey } from '../support/keys.ts';
import { stack } from '../support/stack.ts';

const test = browserTest;

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

test('signs in by the issuer, shows who, comes back after a reload without a form, and signs out', async () => {
  const { page, tenant, complaints, requested } = await openConsole(browser, { screen: '/settings/secrets' });
  await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
  expect(await page.getByText(tenant.userId).isVisible()).toBe(true);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toMatch(/eyJ|verifier/);
  await page.reload();
  await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
  expect(await page.getByText(tenant.userId).isVisible()).toBe(true);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(stack().url))).toEqual([]);
});

test('an API key opens the console too, for as long as the page is open', async () => {
  const { key } = await tenantWithKey(['FLOWS:READ']);
  const { page } = await watchedPage(browser);
  page.setDefaultTimeout(5_000);
  await page.goto(consoleAddress('/settings/secrets'));
  await page.getByText('Use an API key').click();
  await page.getByLabel('API key').fill('tv_live_x');
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText('This is not an API key').waitFor();
  await expectGoodScreen(page);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText('SECRETS:READ').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
});

test('the console works under another name of this machine, too', async () => {
  const { page } = await watchedPage(browser);
  await page.goto(consoleAddress('/settings/api-keys').replace('127.0.0.1', 'localhost'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
});

test('a session of few permissions sees on each screen what is missing, and the rest', async () => {
  const { page } = await openConsole(browser, { permissions: ['RECORDS:READ'] });
  await page.getByText('ANALYTICS:READ').waitFor();
  await page.getByText('This hour').waitFor();
  await goTo(page, '/settings/secrets');
  await page.getByText('SECRETS:READ').waitFor();
  await expectGoodScreen(page);
});
