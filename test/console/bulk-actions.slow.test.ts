import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  expectGoodScreen,
  goTo,
  openConsole,
  tabTo,
  browserTest as test,
} from '../support/console/console.ts';
import { createTool } from '../support/files/tools.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import type { Tenant } from '../support/stack/stack.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
const question = (page: Page) => page.getByRole('alertdialog');

/** Flows with these names, in the order of the list. */
async function withFlows(tenant: Tenant, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await createFlow(tenant, [template('x')], name)).id);
  return ids;
}

const wait = { type: 'wait-until', name: 'Wait', config: { delayMs: 3_600_000 } };

/** Runs of a flow: one that is over, and so many that wait. */
async function withRuns(tenant: Tenant, waiting: number): Promise<void> {
  const dispatched = async (flowSteps: object[]) => {
    const { id } = await publishedFlow(tenant, flowSteps);
    const body = { flow: { id }, options: { streamResponse: false } };
    await tenant.call('POST', '/v1/dispatch', { body });
  };
  await dispatched([template('x')]);
  for (let n = 0; n < waiting; n++) await dispatched([wait]);
}

test('selected flows are deleted after one question; what fails is listed by its name with the reason', async () => {
  const { page, tenant } = await openConsole();
  const [alpha, beta, gamma] = await withFlows(tenant, ['Alpha', 'Beta', 'Gamma']);
  await withFlows(tenant, ['Kept']);
  await goTo(page, '/flows');
  for (const name of ['Alpha', 'Beta', 'Gamma']) await select(page, name).check();
  await page.getByText('3 selected').waitFor();
  await expectGoodScreen(page);
  await page.route(`**/v1/flows/${beta}`, (route) =>
    route.fulfill({ status: 409, json: { error: 'It is in use', details: 'Stop its batch first' } }),
  );
  await button(page, 'Delete').click();
  await question(page).getByText('Delete 3 flows?').waitFor();
  await expectGoodScreen(page);
  await button(page, 'Delete').last().click();
  await button(page, 'Try again').waitFor();
  await question(page).getByText('Deleted 2 of 3').waitFor();
  expect(await question(page).getByRole('listitem').allInnerTexts()).toEqual([
    'Beta It is in use. Stop its batch first',
  ]);
  await expectGoodScreen(page);
  expect((await tenant.call('GET', `/v1/flows/${alpha}`)).status).toBe(404);
  expect((await tenant.call('GET', `/v1/flows/${gamma}`)).status).toBe(404);

  await page.unroute(`**/v1/flows/${beta}`);
  await button(page, 'Try again').click();
  await page.getByText('1 flow deleted').waitFor();
  await page.getByRole('link', { name: 'Beta' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Kept' }).waitFor();
  expect(await page.getByText('selected').count()).toBe(0);
});

test('Stop ends it after what has begun, and says how many are done', async () => {
  const { page, tenant } = await openConsole();
  const names = Array.from({ length: 12 }, (_, place) => `Flow ${place}`);
  await withFlows(tenant, names);
  await goTo(page, '/flows');
  await page.getByRole('checkbox', { name: 'Select the 12 loaded' }).check();
  let begun = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/v1/flows/flow_*', async (route) => {
    begun++;
    await held;
    await route.continue();
  });
  await button(page, 'Delete').click();
  await button(page, 'Delete').last().click();
  await expect.poll(() => begun).toBe(5);
  await page.keyboard.press('Escape');
  await button(page, 'Stop').click();
  letGo();
  await question(page).getByText('Deleted 5 of 12').waitFor();
  await button(page, 'Close').click();
  await page.getByText('7 selected').waitFor();
  expect(begun).toBe(5);
});

test('with the keyboard alone: open runs of the list are selected and cancelled, and those that are over stay', async () => {
  const { page, tenant } = await openConsole();
  await withRuns(tenant, 2);
  await goTo(page, '/runs');
  await page.getByRole('row').nth(3).waitFor();
  await tabTo(page, 'grid', 'Runs');
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+Space');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('3 selected').waitFor();
  await expectGoodScreen(page);
  await page.keyboard.press('Shift+Tab');
  await tabTo(page, 'button', 'Cancel runs');
  await page.keyboard.press('Enter');
  await question(page).getByText('Cancel 2 runs?').waitFor();
  await question(page).getByText('2 of the 3 selected runs can be cancelled').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('2 runs cancelled').waitFor();
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(data.map(({ status }: { status: string }) => status)).toEqual([
    'cancelled',
    'cancelled',
    'completed',
  ]);
});

test('a click with Shift selects all rows between, and Copy IDs copies those of all of them', async () => {
  const { page, tenant } = await openConsole({ clipboard: true });
  const ids = await withFlows(tenant, ['One', 'Two', 'Three', 'Four']);
  await goTo(page, '/flows');
  await select(page, 'Four').check();
  await select(page, 'Two').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await button(page, 'Copy IDs').click();
  await button(page, 'Copied').waitFor();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
  expect(copied.toSorted()).toEqual(ids.slice(1).toSorted());
  expect(new URL(page.url()).hash).toBe('#/flows');
});

test('selected API keys are revoked and stay in the list; tools and secrets are deleted', async () => {
  const { page, tenant } = await openConsole();
  for (const name of ['First', 'Second'])
    await expectStatus(201, tenant.call('POST', '/v1/api-keys', { body: { name } }));
  await goTo(page, '/settings/api-keys');
  await page.getByRole('checkbox', { name: /^Select the/ }).check();
  await button(page, 'Revoke').click();
  await question(page).getByText('Revoke 2 API keys?').waitFor();
  await button(page, 'Revoke').last().click();
  await page.getByText('2 API keys revoked').waitFor();
  await expect.poll(() => page.getByText('revoked', { exact: true }).count()).toBe(2);

  await createTool(tenant, { name: 'old_tool' });
  await goTo(page, '/settings/tools');
  await select(page, 'old_tool').check();
  await button(page, 'Delete').click();
  await question(page).getByText('Delete 1 tool?').waitFor();
  await button(page, 'Delete').last().click();
  await page.getByText('No custom tools').waitFor();

  for (const key of ['ONE', 'TWO', 'THREE'])
    await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: { key, value: 'a long value' } }));
  await goTo(page, '/settings/secrets');
  await select(page, 'ONE').check();
  await select(page, 'THREE').check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
  await question(page).getByText('Delete 2 secrets?').waitFor();
  await button(page, 'Delete').last().click();
  await page.getByText('2 secrets deleted').waitFor();
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/secrets'));
  expect(data).toMatchObject([{ key: 'TWO' }]);
});
