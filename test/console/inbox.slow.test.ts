import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inboxWaitEntity } from '../../shared/domain/run-waits/inbox-wait.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import { eventually } from '../support/stack/eventually.ts';
import { newKey } from '../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../support/stack/stack.ts';

const approval = (config: object = {}) => ({
  type: 'approval',
  id: 'ask',
  name: 'Ask',
  config: { question: 'Send {{ _record.name }}?', outputVariable: 'said', ...config },
});

interface Listed {
  id: string;
  runId: string;
  question: string;
  claimedBy: string | null;
  answer: { choice: string; comment: string | null } | null;
}

const listed = async ({ call }: Tenant, query = ''): Promise<Listed[]> =>
  (await expectStatus(200, call('GET', `/v1/waits?limit=100&${query}`))).data;

/** A batch whose records ask each: `Send thing-0?`. */
async function askingBatch(tenant: Tenant, records: number, config: object = {}) {
  const flow = await publishedFlow(tenant, [approval(config), template('{{ said.choice }}')]);
  const recordIds = (await createRecords(tenant, 'thing', records)).map(({ id }) => id);
  const body = { flowId: flow.id, recordIds };
  await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await eventually(async () => expect(await listed(tenant)).toHaveLength(records), 30_000);
  return flow;
}

const question = (page: Page) => page.locator('#inbox-question');
const list = (page: Page) => page.getByRole('list', { name: 'Questions' });
const answers = async (tenant: Tenant) =>
  (await listed(tenant, 'status=answered')).map(
    ({ question: asked, answer }) => `${asked} ${answer?.choice}`,
  );

test('the inbox is worked through with the keyboard: next, comment, answer, and the next one is there', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 3);
  const { page, complaints } = await openConsole({ tenant, screen: '/inbox' });
  await list(page).waitFor();
  await expectGoodScreen(page);
  const shown = await list(page).getByRole('listitem').allInnerTexts();
  const asked = shown.map((text) => text.split('\n')[0] ?? '');
  expect(asked.toSorted()).toEqual(['Send thing-0?', 'Send thing-1?', 'Send thing-2?']);
  const [first = '', second = '', third = ''] = asked;
  await page.getByText('1 of 3').waitFor();
  expect(await question(page).innerText()).toBe(first);
  await page.keyboard.press('j');
  await page.getByText('2 of 3').waitFor();
  expect(await question(page).innerText()).toBe(second);
  await page.keyboard.press('c');
  await page.keyboard.type('not 1 of those');
  await page.keyboard.press('Escape');
  await page.keyboard.press('2');
  await expect.poll(() => question(page).innerText()).toBe(third);
  await page.getByText('2 of 2').waitFor();
  // Nothing is sent yet.
  expect(await answers(tenant)).toEqual([]);
  await page.getByRole('region', { name: 'Earlier answers here' }).getByText('not 1 of those').waitFor();
  expect(await listed(tenant, 'status=answered')).toMatchObject([
    { question: second, answer: { choice: 'reject', comment: 'not 1 of those' } },
  ]);
  await page.keyboard.press('k');
  await page.getByText('1 of 2').waitFor();
  await page.keyboard.press('1');
  await page.getByText('1 of 1').waitFor();
  await page.keyboard.press('1');
  await page.getByText('Nothing waits for you').waitFor();
  // The next digit has sent the one before.
  await expect.poll(async () => (await answers(tenant)).length).toBe(2);
  await expect
    .poll(async () => (await answers(tenant)).toSorted(), { timeout: 20_000 })
    .toEqual([`${first} approve`, `${second} reject`, `${third} approve`].toSorted());
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Give the answer with this number').waitFor();
  expect(complaints).toEqual([]);
});

test('an answer is taken back in its first seconds, with its comment; leaving the inbox sends it', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 2);
  const { page, complaints } = await openConsole({ tenant, screen: '/inbox' });
  await list(page).waitFor();
  const asked = await question(page).innerText();
  await page.keyboard.press('c');
  await page.keyboard.type('Wait, what?');
  await page.keyboard.press('Escape');
  for (const key of ['u', 'z']) {
    await page.keyboard.press('2');
    await page.getByText('Answered: Reject').waitFor();
    await page.getByText('1 of 1').waitFor();
    await page.keyboard.press(key);
    await expect.poll(() => question(page).innerText()).toBe(asked);
    expect(await page.getByLabel('Comment').inputValue()).toBe('Wait, what?');
    await page.getByText('Answered: Reject').waitFor({ state: 'hidden' });
  }
  await page.keyboard.press('1');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => question(page).innerText()).toBe(asked);
  // Nothing to take back: the key does nothing.
  await page.keyboard.press('u');
  // Longer than an answer is held.
  await page.waitForTimeout(7_000);
  expect(await answers(tenant)).toEqual([]);
  await page.keyboard.press('1');
  await page.getByText('1 of 1').waitFor();
  await goTo(page, '/runs');
  await expect.poll(() => answers(tenant)).toEqual([`${asked} approve`]);
  expect(complaints).toEqual([]);
});

test('an answer is sent at once when the page is hidden, and when the tab is closed', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 2);
  const { page } = await openConsole({ tenant, screen: '/inbox' });
  await list(page).waitFor();
  await page.keyboard.press('1');
  await page.getByText('1 of 1').waitFor();
  // As on a phone whose user goes to another app.
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const soon = { timeout: 3_000 };
  await expect.poll(async () => (await answers(tenant)).length, soon).toBe(1);
  await page.keyboard.press('2');
  await page.getByText('Nothing waits for you').waitFor();
  await page.goto('about:blank');
  await expect.poll(async () => (await answers(tenant)).length, soon).toBe(2);
});

test('the menu counts what is open; what is overdue comes first', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 3);
  const [late] = (await listed(tenant)).filter((wait) => wait.question === 'Send thing-1?');
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const key = { id: late?.id ?? '' };
  const set = { overdueAt: new Date(Date.now() - 60_000).toISOString() };
  await table.commit([table.writes.update(inboxWaitEntity, key, { set })]);
  const { page } = await openConsole({ tenant, screen: '/inbox' });
  const menu = page.getByRole('navigation', { name: 'Console' });
  await menu.getByRole('link', { name: /Inbox 3 open questions, 1 overdue/ }).waitFor();
  expect(await question(page).innerText()).toBe('Send thing-1?');
  await expectGoodScreen(page);
  await page.getByLabel('Overdue', { exact: true }).check();
  await expect.poll(() => list(page).getByRole('listitem').count()).toBe(1);
});

test('several are selected and answered at once, and those that somebody else has answered say so', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 4);
  const { page } = await openConsole({ tenant, screen: '/inbox' });
  await list(page).waitFor();
  for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key);
  await page.getByText('3 selected').waitFor();
  const [first = ''] = await list(page).getByRole('listitem').allInnerTexts();
  const other = (await listed(tenant)).find((wait) => first.startsWith(wait.question));
  await page.keyboard.press('2');
  const dialog = page.getByRole('alertdialog', { name: 'Reject: 3 questions?' });
  await dialog.getByLabel('Comment, the same for all').fill('Too late');
  await expectStatus(
    200,
    tenant.call('POST', `/v1/waits/${other?.id}/answer`, { body: { choice: 'approve' } }),
  );
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Answered 2 of 3').waitFor();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await expect.poll(() => list(page).getByRole('listitem').count()).toBe(1);
  const all = await listed(tenant, 'status=answered');
  expect(all.map(({ answer }) => answer?.comment ?? '').toSorted()).toEqual(['', 'Too late', 'Too late']);
  await list(page).getByRole('button').first().click();
  await page.getByRole('checkbox', { name: 'Select the 1 loaded' }).check();
  await page.keyboard.press('1');
  await page
    .getByRole('alertdialog', { name: 'Approve: 1 question?' })
    .getByRole('button', { name: 'Approve' })
    .click();
  await page.getByText('Nothing waits for you').waitFor();
});

test('who was second is told who was first, and goes on with the next', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 2);
  const { page, complaints } = await openConsole({ tenant, screen: '/inbox' });
  await list(page).waitFor();
  const asked = await question(page).innerText();
  const wait = (await listed(tenant)).find((each) => each.question === asked);
  const body = { choice: 'reject', comment: 'It is a duplicate' };
  const other = await newKey(tenant, { permissions: ['FLOWS:EXECUTE', 'FLOWS:READ'] });
  await expectStatus(200, other.call('POST', `/v1/waits/${wait?.id}/answer`, { body }));
  await page.keyboard.press('1');
  await page.getByText(`Not answered: “${asked}”`).waitFor();
  await page.getByText('It has been answered already').waitFor();
  await page.getByRole('button', { name: 'Show the question' }).click();
  await page.getByText('Somebody else has answered this meanwhile').waitFor();
  await page.getByText('It is a duplicate').first().waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Next question' }).click();
  await expect.poll(() => question(page).innerText()).not.toBe(asked);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  expect(complaints.filter((each) => !each.includes('409'))).toEqual([]);
});

test('a question is claimed, released, reminded of, and asked of others', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 1);
  const { page } = await openConsole({ tenant, screen: '/inbox' });
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByText('Claimed by you').waitFor();
  await list(page).getByText('Claimed', { exact: true }).waitFor();
  await page.getByLabel('Claimed by me').check();
  await question(page).waitFor();
  await page.getByRole('button', { name: 'Release' }).click();
  await page.getByText('No questions match').waitFor();
  await page.getByRole('button', { name: 'Show all that are open' }).click();
  const key = await newKey(tenant, { permissions: ['FLOWS:EXECUTE', 'FLOWS:READ'] });
  const [wait] = await listed(tenant);
  await expectStatus(200, key.call('POST', `/v1/waits/${wait?.id}/claim`));
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByRole('alert').getByText('Somebody else has claimed it').waitFor();
  await page.getByRole('button', { name: 'Remind' }).click();
  await page.getByRole('alert').getByText('Nobody is asked; reassign it first').waitFor();
  await page.getByRole('button', { name: 'Ask others' }).click();
  const dialog = page.getByRole('dialog', { name: 'Who is asked?' });
  await dialog.getByLabel('Email addresses').fill('ada@example.com\ngrace@example.com');
  await dialog.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Asked: ada@example.com, grace@example.com').waitFor();
  await page.getByRole('button', { name: 'Remind' }).click();
  await page.getByText('A reminder is on its way').waitFor();
});

test('a call of a tool shows its arguments with their origin; a form says what is wrong with it', async () => {
  const tenant = await newTenant();
  const config = { tools: { toolIds: ['builtin:calculator'], approval: { require: true } } };
  const agent = await createScriptedAgent(tenant, config, { name: 'Bookkeeper' });
  const sum = calls(['calculator', { expression: '19 + 23' }]);
  await answered(run(tenant, agent.id, scripted(sum, { text: 'done' })));
  const form = {
    type: 'object',
    properties: { amount: { type: 'number', minimum: 5 } },
    required: ['amount'],
  };
  const flow = { name: 'Payments', steps: [approval({ question: 'How much?', form })] };
  const body = { flow, options: { streamResponse: false } };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const { page } = await openConsole({ tenant, screen: '/inbox?kind=tool-approval' });
  const row = page.getByRole('table', { name: 'Arguments of calculator' }).getByRole('row').last();
  await expect.poll(() => row.innerText()).toMatch(/expression\s+19 \+ 23\s+from the user/);
  await expectGoodScreen(page);
  await page.keyboard.press('1');
  await page.getByText('No questions match').waitFor();
  await eventually(async () => {
    const [approved] = await listed(tenant, 'status=answered');
    const { status } = await expectStatus(200, tenant.call('GET', `/v1/runs/${approved?.runId}`));
    expect(status).toBe('completed');
  });
  await page.getByRole('button', { name: 'Show all that are open' }).click();
  await page.getByLabel('Amount').fill('3');
  await page.keyboard.press('Escape');
  await page.keyboard.press('1');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Amount').fill('7');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Nothing waits for you').waitFor();
});

test('on a phone one sees the list or a question, and an answer goes on to the next', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 2);
  const { page } = await openConsole({ tenant, screen: '/inbox', viewport: { width: 390, height: 844 } });
  await list(page).getByRole('button').first().click();
  await question(page).waitFor();
  expect(await list(page).count()).toBe(0);
  await expectGoodScreen(page);
  await page.goBack();
  await list(page).waitFor();
  await list(page).getByRole('button').first().click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('1 of 1').waitFor();
  await page.getByRole('button', { name: 'All questions' }).click();
  await expect.poll(() => list(page).getByRole('listitem').count()).toBe(1);
});

test('a link names a question: an open one further down, and one that is not open any more', async () => {
  const tenant = await newTenant();
  await askingBatch(tenant, 60);
  const all = await listed(tenant, 'sort=expiresAt');
  const last = all.at(-1);
  const { page } = await openConsole({ tenant, screen: `/inbox?wait=${last?.id}` });
  await expect.poll(() => question(page).innerText()).toBe(last?.question);
  await page.getByText('60 of 60').waitFor();
  await expectStatus(200, tenant.call('POST', `/v1/runs/${last?.runId}/cancel`)).catch(() => {});
  const unknown = `wait_${'0'.repeat(26)}`;
  await page.evaluate((id) => {
    location.hash = `#/inbox?wait=${id}`;
  }, unknown);
  await page.getByText('This question is not open any more').waitFor();
  await page.getByRole('button', { name: 'Next question' }).click();
  await page.getByRole('button', { name: 'Approve' }).waitFor();
});
