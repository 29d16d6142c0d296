import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { watchedPage } from '../support/console/browser.ts';
import {
  browserTest,
  expectGoodScreen,
  goTo,
  openConsole,
  screenAddress,
} from '../support/console/console.ts';
import { createFlow } from '../support/flows/flows.ts';
import { tenantWithKey } from '../support/stack/keys.ts';
import { newTenant, stack, type Tenant } from '../support/stack/stack.ts';

const test = browserTest;

/** By the forms, as people do. */
async function signIn(page: Page, { userId, organizationId }: Tenant, permissions: string) {
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('User').fill(userId);
  await page.getByLabel('Organization').fill(organizationId ?? '');
  await page.getByLabel('Permissions').fill(permissions);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('signs in by the issuer, shows who, comes back after a reload without a form, and signs out', async () => {
  const tenant = await newTenant();
  const { page, complaints, requested } = await watchedPage();
  await page.goto(screenAddress('/settings/secrets'));
  await signIn(page, tenant, '*');
  await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
  expect(await page.getByText(tenant.userId).isVisible()).toBe(true);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toMatch(/eyJ|verifier/);
  await page.reload();
  await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
  expect(await page.getByText(tenant.userId).isVisible()).toBe(true);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(stack().url))).toEqual([]);
});

test('an API key opens the console too, for as long as the page is open', async () => {
  const { key } = await tenantWithKey(['FLOWS:READ']);
  const { page } = await watchedPage();
  page.setDefaultTimeout(5_000);
  await page.goto(screenAddress('/settings/secrets'));
  await page.getByText('Use an API key').click();
  await page.getByLabel('API key').fill('tv_live_x');
  await page.getByRole('button', { name: 'Continue with key' }).click();
  await page.getByText('This is not an API key').waitFor();
  await expectGoodScreen(page);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Continue with key' }).click();
  await page.getByText('SECRETS:READ').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
});

test('the console works under another name of this machine, too', async () => {
  const { page } = await watchedPage();
  await page.goto(screenAddress('/settings/api-keys').replace('127.0.0.1', 'localhost'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
});

test('a session of few permissions in an organization sees on each screen what is missing, and the rest', async () => {
  const { page } = await watchedPage();
  await page.goto(screenAddress());
  await signIn(page, await newTenant({ organizationId: 'acme' }), 'RECORDS:READ');
  await page.getByText('acme').first().waitFor();
  await page.getByText('FLOWS:READ').first().waitFor();
  await goTo(page, '/settings/usage');
  await page.getByText('ANALYTICS:READ').first().waitFor();
  await page.getByText('This hour').waitFor();
  await goTo(page, '/settings/secrets');
  await page.getByText('SECRETS:READ').waitFor();
  await expectGoodScreen(page);
});

test('after the end of a session one signs in again beside the page, which keeps what is not saved', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Not saved yet');
  let renewals = 0;
  await page.route('**/local/oidc/token', (route) => {
    renewals++;
    return route.fulfill({ status: 400, json: { error: 'invalid_grant' } });
  });
  await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const main = page.getByRole('main');
  await main.getByRole('alert').filter({ hasText: 'Your session has ended. Sign in again.' }).waitFor();
  await page.getByText('Unsaved changes stay on this page').waitFor();
  await expectGoodScreen(page);
  expect(renewals).toBe(1);
  await page.unroute('**/local/oidc/token');
  await main.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByText('You are signed in again').waitFor();
  await page.getByText('Your session has ended').first().waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('Not saved yet');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
});

test('a token that the API refuses before its time is renewed; if it cannot be, one signs in again beside the page', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  const name = page.getByLabel('Name', { exact: true });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  let refused: string | undefined;
  await page.route('**/v1/flows/**', (route) => {
    const { authorization = '' } = route.request().headers();
    refused ??= authorization;
    return authorization === refused
      ? route.fulfill({ status: 401, json: { error: 'Unauthorized' } })
      : route.continue();
  });
  await name.fill('Renewed');
  await save.click();
  await page.getByText('Draft saved').waitFor();
  refused = undefined;
  await page.route('**/local/oidc/token', (route) =>
    route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
  );
  await name.fill('Not saved yet');
  await save.click();
  await page.getByText('Unsaved changes stay on this page').waitFor();
  expect(await name.inputValue()).toBe('Not saved yet');
});

test('where the browser cannot sign in, the page says so', async () => {
  const { page } = await watchedPage();
  await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
  await page.goto(screenAddress());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').getByText('over HTTPS or on localhost only').waitFor();
});

test('edits of one person are never saved as another, who signs in after the end of a session', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Not saved yet');
  await page.route('**/local/oidc/token', (route) =>
    route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
  );
  await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const signInAgain = page.getByRole('main').getByRole('button', { name: 'Sign in again' });
  await signInAgain.waitFor();
  await page.unroute('**/local/oidc/token');
  await page.context().clearCookies();
  const opened = page.context().waitForEvent('page');
  await signInAgain.click();
  const beside = await opened;
  await beside.getByLabel('User').fill('somebody-else');
  await beside.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('You signed in as somebody-else, not as before').waitFor();
  await signInAgain.waitFor();
  expect(await name.inputValue()).toBe('Not saved yet');
});

test('while nobody knows whether there is a sign-in, the page offers to try again', async () => {
  const { page } = await watchedPage();
  page.setDefaultTimeout(20_000);
  await page.route('**/v1/public/sign-in', (route) =>
    route.fulfill({ status: 503, json: { error: 'Down' } }),
  );
  await page.goto(screenAddress());
  await page.getByRole('alert').filter({ hasText: 'The service is busy' }).waitFor();
  expect(await page.getByText('has no sign-in').count()).toBe(0);
  await expectGoodScreen(page);
  await page.unroute('**/v1/public/sign-in');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await page.route('**/v1/public/sign-in', (route) => route.fulfill({ status: 404, json: { error: 'No' } }));
  await page.reload();
  await page.getByText('has no sign-in').waitFor();
});
