import { expect } from 'vitest';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import type { Tenant } from '../support/stack/stack.ts';

const createAgent = async ({ call }: Tenant, name: string): Promise<string> => {
  const body = { name, config: { model: 'generic-openai/gpt-5-mini' } };
  return (await expectStatus(201, call('POST', '/v1/agents', { body }))).id;
};

test('a screen of another agent begins anew: what one was asked is not sent to the other', async () => {
  const { page, tenant } = await openConsole();
  const [one, other] = [await createAgent(tenant, 'One'), await createAgent(tenant, 'Other')];
  await goTo(page, `/agents/${one}/chat`);
  await page.getByLabel('Message').fill('A question for one');
  await page.keyboard.press('Enter');
  await page.getByText(/^1 answer/).waitFor();
  const sent: string[] = [];
  page.on('request', (request) => request.url().endsWith('/execute') && sent.push(request.url()));
  await goTo(page, `/agents/${other}/chat`);
  await page.getByRole('heading', { name: 'Other' }).waitFor();
  await page.getByText('Send the agent a message').waitFor();
  expect(await page.getByText('A question for one').count()).toBe(0);
  expect(sent).toEqual([]);
});

test('a screen that cannot be loaded says so; the menu leads on, and a reload mends it', async () => {
  const { page } = await openConsole({ screen: '/flows' });
  await page.getByText('No flows yet').waitFor();
  await page.route('**/audit-log-*.js', (route) => route.abort());
  await goTo(page, '/settings/audit-log');
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await expectGoodScreen(page);
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Flows' }).click();
  await page.getByText('No flows yet').waitFor();
  await page.goBack();
  await page.unroute('**/audit-log-*.js');
  await page.getByRole('button', { name: 'Reload page' }).click();
  await page
    .getByRole('heading', { name: 'Audit log', level: 1 })
    .or(page.getByText('session.'))
    .first()
    .waitFor();
  expect(await page.getByText('This page could not be loaded').count()).toBe(0);
});

test('a service that cannot be reached is said in words, and asked again by a button', async () => {
  const { page } = await openConsole({ screen: '/flows' });
  await page.getByText('No flows yet').waitFor();
  await page.route('**/v1/agents?**', (route) => route.abort());
  await goTo(page, '/agents');
  await page.getByRole('alert').getByText('The service did not respond. Check your connection').waitFor();
  await page.unroute('**/v1/agents?**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No agents yet').waitFor();
});

test('a run that is no longer known of is shown as of before, and a refusal is not asked for again', async () => {
  const { page, tenant } = await openConsole();
  const { id } = await publishedFlow(tenant, [template('hello')]);
  const [record] = await createRecords(tenant, 'visitor', 1);
  const body = { flowId: id, recordIds: [record?.id] };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  let asked = 0;
  let refusal: number | undefined;
  await page.route('**/v1/batch/status/**', async (route) => {
    asked++;
    if (refusal) return route.fulfill({ status: refusal, json: { error: 'No' } });
    const response = await route.fetch();
    return route.fulfill({ json: { ...(await response.json()), status: 'running' } });
  });
  await goTo(page, `/runs/batches/${batchExecutionId}`);
  await page.getByText('running', { exact: true }).first().waitFor();
  expect(await page.getByText('Showing earlier data').count()).toBe(0);
  refusal = 403;
  await page.getByText('Showing earlier data').waitFor();
  const known = asked;
  await page.waitForTimeout(4_000);
  expect(asked).toBe(known);
  refusal = undefined;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Showing earlier data').waitFor({ state: 'detached' });
  await expect.poll(() => asked, { timeout: 8_000 }).toBeGreaterThan(known + 1);
});

test('the keyboard goes on from the screen that a link leads to', async () => {
  const { page, tenant } = await openConsole({ screen: '/agents' });
  await createAgent(tenant, 'Reached');
  await page.reload();
  const link = page.getByRole('link', { name: 'Reached' });
  await link.waitFor();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await link.focus();
  await page.keyboard.press('Enter');
  const screen = page.getByRole('main', { name: 'Reached' });
  await screen.waitFor();
  const hasFocus = () => screen.evaluate((main) => main === document.activeElement);
  await expect.poll(hasFocus).toBe(true);
  await page.getByRole('link', { name: 'Playground' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Send the agent a message').waitFor();
  await expect.poll(hasFocus).toBe(true);
});

test('a search asks when one pauses, not at each key', async () => {
  const { page, tenant } = await openConsole({ screen: '/agents' });
  await createAgent(tenant, 'Airport guide');
  const asked: string[] = [];
  page.on('request', (request) => {
    const search = new URL(request.url()).searchParams.get('search');
    if (search) asked.push(search);
  });
  await page.getByLabel('Search by name').pressSequentially('airport', { delay: 20 });
  await page.getByRole('link', { name: 'Airport guide' }).waitFor();
  await expect.poll(() => asked).toEqual(['airport']);
});

test('a question that was refused is asked again with a press, and is not part of the next one', async () => {
  const { page, tenant } = await openConsole();
  await goTo(page, `/agents/${await createAgent(tenant, 'Busy')}/chat`);
  await page.route('**/execute', (route) => route.fulfill({ status: 429, json: { error: 'Later' } }));
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };
  await say('First');
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  await page.unroute('**/execute');
  const [request] = await Promise.all([page.waitForRequest('**/execute'), say('Second')]);
  expect(request.postDataJSON().messages).toEqual([{ role: 'user', content: 'Second' }]);
  await page.getByRole('link', { name: 'Open run' }).waitFor();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'Open run' }).count()).toBe(2);
  expect(await page.getByRole('button', { name: 'Ask again' }).count()).toBe(0);
});

test('a question that is asked anew does not repeat what failed before', async () => {
  const { page, tenant } = await openConsole();
  await goTo(page, `/agents/${await createAgent(tenant, 'Kept')}`);
  await page.route('**/v1/agents/*', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 500, json: { error: 'Broken' } })
      : route.continue(),
  );
  const dialog = page.getByRole('alertdialog', { name: 'Delete this agent?' });
  const ask = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
  };
  await ask();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('Broken').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await ask();
  await dialog.waitFor();
  expect(await dialog.getByText('Broken').count()).toBe(0);
});
