import { expect } from 'vitest';
import { browserTest, expectGoodScreen, openConsole } from '../support/console/console.ts';
import { askStep, createBudget, dispatchSteps } from '../support/flows/budgets.ts';
import { newTenant } from '../support/stack/stack.ts';

const test = browserTest;

test('a budget is created, shows what is spent, and is changed; the signing secret is shown once', async () => {
  const { page, tenant } = await openConsole({ screen: '/settings/budgets' });
  await page.getByText('No budgets').waitFor();
  await page.getByRole('button', { name: 'Create budget' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Create budget' });
  await dialog.getByLabel('Name').fill('All of it');
  expect(await dialog.getByRole('group', { name: 'Tenant' }).count()).toBe(0);
  await dialog.getByLabel('Limit').fill('2.5');
  await dialog.getByLabel(/Webhook URL/i).fill('https://example.com/told');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = page.getByRole('alertdialog', { name: 'The signing secret of the webhook' });
  expect((await secret.getByRole('group', { name: 'The value' }).innerText()).trim()).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'I stored it' }).click();
  await page.getByText('$0 of $2.50').waitFor();
  const { body } = await tenant.call('GET', '/v1/budgets');
  expect(body.data).toMatchObject([{ name: 'All of it', limit: '2.5', period: 'month', action: 'block' }]);
  await page.getByRole('button', { name: 'Edit All of it' }).click();
  await page.getByRole('alertdialog').getByLabel('Limit').fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('$0 of $5.00').waitFor();
  await expectGoodScreen(page);
});

test('a budget that is spent says so', async () => {
  const tenant = await newTenant();
  await createBudget(tenant, { limit: '0.000001' });
  await dispatchSteps(tenant, [askStep('Hello')]);
  const { page } = await openConsole({ tenant, screen: '/settings/budgets' });
  await page.getByText('blocked').waitFor();
});
