import type { BrowserContextOptions, Page } from 'playwright-core';
import { test as anyTest, expect } from 'vitest';
import { expectAccessible, noBrowser, watchedPage } from '../../support/console/browser.ts';
import { findSentMessages } from '../../support/data/outbox.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const choose = (page: Page, name: string) => page.getByRole('button', { name }).click();

const form = {
  type: 'object',
  properties: {
    amount: { type: 'number', title: 'Amount', description: 'In euros' },
    reason: { type: 'string', title: 'Reason', enum: ['late', 'broken'] },
    isUrgent: { type: 'boolean', title: 'Urgent' },
  },
  required: ['amount'],
};

/** The page of a link that a run has sent. */
async function opened(config: object = {}, options: BrowserContextOptions = {}) {
  const tenant = await newTenant();
  const address = `${tenant.tenant.replace(/\W/g, '')}@example.com`;
  const question = 'Refund <b>Ada</b>?';
  const ask = { question, assignees: { emails: [address] }, outputVariable: 'said', ...config };
  const body = {
    flow: { name: 'Refunds', steps: [{ type: 'approval', name: 'Ask', config: ask }] },
    options: { streamResponse: false },
  };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const url = await eventually(async () => {
    const text = JSON.stringify(await findSentMessages(address));
    const token = /approvals#(tv_approval_\w+)/.exec(text)?.[1];
    if (!token) throw new Error('No email');
    return `${stack().url}/approvals#${token}`;
  }, 20_000);
  const watched = await watchedPage(options);
  await watched.page.goto(url);
  await heading(watched.page, String(ask.question));
  const outcome = () =>
    eventually(async () => {
      const run = await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}`));
      if (run.status !== 'completed') throw new Error(`It is ${run.status}`);
      return run.output;
    }, 20_000);
  return { tenant, executionId, url, outcome, ...watched };
}

test('a link asks the question as text, takes one answer with a comment, and is closed then', async () => {
  const { page, outcome, url, requested, complaints } = await opened({ details: 'Order 7\nPaid twice' });
  expect(page.url()).toBe(`${stack().url}/approvals`);
  expect(await page.locator('h1 b').count()).toBe(0);
  await page.getByText('Paid twice').waitFor();
  await page.getByLabel('Comment').fill('Fine with me');
  await choose(page, 'Approve');
  await heading(page, 'Thank you');
  expect(await outcome()).toMatchObject({ choice: 'approve', comment: 'Fine with me' });
  await page.goto(`${url}`);
  await heading(page, 'This question is closed');
  const asked = requested.filter((address) => !address.startsWith('data:'));
  for (const address of asked) expect(new URL(address).origin).toBe(stack().url);
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
});

test('the form names what is missing or wrong beside the field, and keeps what was typed', async () => {
  const { page, outcome } = await opened({ form, choices: ['pay', 'refuse'] });
  await choose(page, 'Pay');
  await page.getByText('Fill in this field.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('field-amount');
  await page.getByLabel('Amount').fill('seven');
  await choose(page, 'Pay');
  await page.getByText('Enter a number.').waitFor();
  await page.getByLabel('Amount').fill('7.5');
  await page.getByLabel('Reason').selectOption('broken');
  await page.getByLabel('Urgent').check();
  await choose(page, 'Refuse');
  await heading(page, 'Thank you');
  expect(await outcome()).toMatchObject({
    choice: 'refuse',
    values: { amount: 7.5, reason: 'broken', isUrgent: true },
  });
});

test('it works with the keyboard alone, on a phone, from right to left, and in the dark', async () => {
  const phone = { viewport: { width: 360, height: 640 }, colorScheme: 'dark' as const };
  const question = 'هل نرسل الطلب؟';
  const { page, outcome } = await opened({ question, form, choices: ['نعم', 'لا'] }, phone);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await page.locator('h1').evaluate((title) => title.matches(':dir(rtl)'))).toBe(true);
  await expectAccessible(page);
  await page.getByLabel('Amount').focus();
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  for (const _ of [1, 2, 3, 4]) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'Thank you');
  expect(await outcome()).toMatchObject({ choice: 'نعم', values: { amount: 3 } });
});

test('a broken link and one without a token say what to do', async () => {
  const { page } = await watchedPage();
  await page.goto(`${stack().url}/approvals`);
  await heading(page, 'Open the link that you were sent');
  await page.goto(`${stack().url}/approvals#tv_approval_wrong`);
  await heading(page, 'This link does not work');
});

test('a question that was answered elsewhere while it was open says so', async () => {
  const { page, tenant, executionId } = await opened();
  const { waits } = await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}`));
  const body = { stepId: waits[0].stepId, choice: 'reject' };
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/answer`, { body }));
  await choose(page, 'Approve');
  await heading(page, 'This question is closed');
});
