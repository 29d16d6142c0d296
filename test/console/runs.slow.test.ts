import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { answered, createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { expectAccessible } from '../support/console/browser.ts';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../support/flows/flows.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const share = {
  type: 'transform-data',
  name: 'Share',
  config: { script: 'if (people === 0) throw new Error("Nobody is there"); return 10 / people' },
};
const wait = { type: 'wait-until', name: 'Wait', config: { delayMs: 3_600_000 } };

async function dispatched(
  { call }: Tenant,
  flowId: string,
  people: number,
  options: object = {},
): Promise<string> {
  const body = { flow: { id: flowId }, inputs: { people }, options: { streamResponse: false, ...options } };
  return (await call('POST', '/v1/dispatch', { body })).body.executionId;
}

/** Three runs of a flow, the newest one failed. */
async function withRuns() {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('Hello', 'greeting'), share]);
  const first = await dispatched(tenant, flow.id, 5, { tags: ['lunch'], sessionId: '007' });
  const second = await dispatched(tenant, flow.id, 2);
  await dispatched(tenant, flow.id, 0);
  const { body } = await tenant.call('GET', '/v1/runs?status=failed');
  return { tenant, flowId: flow.id as string, first, second, failed: body.data[0].id as string };
}

const list = (page: Page) => page.getByRole('grid', { name: 'Runs' });
const rowCount = (page: Page) => list(page).getByRole('row').count();
const addressOf = (page: Page) => new URL(page.url()).hash;

/** Waits until the list has so many runs. The head is a row too. */
const shows = (page: Page, count: number) => expect.poll(() => rowCount(page)).toBe(count + 1);

async function addTag(page: Page, tag: string) {
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name: 'Tag' }).click();
  await page.getByRole('textbox', { name: 'Tag' }).fill(tag);
  await page.keyboard.press('Enter');
}

test('the columns of the list are chosen, all but status and name, and stay so', async () => {
  const { tenant } = await withRuns();
  const { page } = await openConsole({ tenant, screen: '/runs' });
  await shows(page, 3);
  await page.getByRole('button', { name: 'Columns of Runs' }).click();
  const columns = page.getByRole('menuitemcheckbox');
  expect((await columns.allInnerTexts()).slice(0, 2)).toEqual(['Kind', 'Trigger']);
  await columns.filter({ hasText: 'Trigger' }).click();
  await page.keyboard.press('Escape');
  await page.reload();
  await shows(page, 3);
  const heads = (await list(page).getByRole('columnheader').allInnerTexts()).filter(Boolean);
  expect(heads.slice(0, 4)).toEqual(['Status', 'Name', 'Kind', 'Started']);
});

test('a filter is a chip and part of the address; the back button and its × undo it', async () => {
  const { tenant, flowId } = await withRuns();
  const { page, complaints } = await openConsole({ tenant, screen: '/runs' });
  await shows(page, 3);
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('checkbox', { name: 'failed' }).check();
  // React Aria puts the buttons with which screen readers close a popover outside of it.
  await expectAccessible(page, ['region']);
  await page.getByRole('button', { name: 'Apply' }).click();
  await shows(page, 1);
  expect(addressOf(page)).toBe('#/runs?status=failed');
  await page.getByRole('button', { name: 'Status: failed', exact: true }).waitFor();
  await page.goBack();
  await shows(page, 3);
  await addTag(page, 'lunch');
  await shows(page, 1);
  await page.reload();
  await page.getByRole('button', { name: 'Tag: lunch' }).waitFor();
  await page.getByRole('button', { name: 'Remove filter Tag' }).click();
  await shows(page, 3);
  await goTo(page, `/runs?flowId=${flowId}&error=nobody`);
  await page.getByRole('button', { name: 'Flow: A flow' }).waitFor();
  await shows(page, 1);
  expect(complaints).toEqual([]);
});

test('a flow is chosen by its name', async () => {
  const { tenant, flowId } = await withRuns();
  const { page } = await openConsole({ tenant, screen: '/runs' });
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name: 'Flow' }).click();
  await page.getByPlaceholder('Search, or paste an ID').fill('a fl');
  await page.getByRole('menuitem', { name: 'A flow' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Flow: A flow' }).waitFor();
  expect(addressOf(page)).toBe(`#/runs?flowId=${flowId}`);
});

test('filters that match nothing say so and can be cleared; without any runs, the list says how to begin', async () => {
  const { page } = await openConsole({ screen: '/runs?status=failed' });
  await page.getByText('No runs match').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await page.getByText('No runs yet').waitFor();
  await expectGoodScreen(page);
});

test('a filter of the address that cannot be read is an error, not a list of everything', async () => {
  const { tenant } = await withRuns();
  const { page, requested } = await openConsole({ tenant, screen: '/runs?status=fialed&flow=x' });
  const alert = page.getByRole('alert').filter({ hasText: 'cannot be read' });
  await alert.getByText('“fialed” is not one of').waitFor();
  await alert.getByText('There is no filter “flow”').waitFor();
  expect(await list(page).count()).toBe(0);
  // The menu counts the open ones.
  const isOfList = (url: string) =>
    url.includes('/v1/runs') && !url.includes('status=running%2Cscheduled%2Cpaused');
  expect(requested.filter(isOfList)).toEqual([]);
  await alert.getByRole('button', { name: 'Clear filters' }).click();
  await shows(page, 3);
});

test('a new run, and the end of one, appear by themselves', async () => {
  const { tenant, flowId } = await withRuns();
  const waiting = await publishedFlow(tenant, [wait]);
  const paused = await dispatched(tenant, waiting.id, 1);
  const { page } = await openConsole({ tenant, screen: '/runs' });
  await shows(page, 4);
  await list(page).getByRole('row').nth(1).getByText('paused').waitFor();
  await expectStatus(200, tenant.call('POST', `/v1/runs/${paused}/cancel`));
  await dispatched(tenant, flowId, 1);
  await shows(page, 5);
  await list(page).getByRole('row').nth(2).getByText('cancelled', { exact: true }).waitFor();
});

test('what somebody reads further down stays in its place when new runs come in at the top', async () => {
  const { tenant, failed } = await withRuns();
  const { body } = await tenant.call('GET', `/v1/runs/${failed}`);
  const rows = Array.from({ length: 200 }, (_, n) => {
    const id = `exec_${String(1_000 - n).padStart(26, '0')}`;
    return { ...body, id, rootRunId: id, name: `Run ${n}`, status: 'completed', error: null };
  });
  const { page } = await openConsole({ tenant });
  await page.route('**/v1/runs?**', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get('cursor') ?? 0);
    const data = rows.slice(from, from + Number(query.get('limit')));
    const nextCursor = String(from + data.length);
    return route.fulfill({ json: { data, pagination: { nextCursor, hasMore: true, limit: data.length } } });
  });
  await goTo(page, '/runs');
  await list(page).getByText('Run 0', { exact: true }).waitFor();
  await page.evaluate(() => window.scrollTo(0, 1_200));
  const read = list(page).getByText('Run 40', { exact: true });
  await list(page).getByText('Run 60', { exact: true }).waitFor();
  const before = await read.boundingBox();
  for (const n of [1, 2, 3]) {
    const id = `exec_${String(1_000 + n).padStart(26, '0')}`;
    rows.unshift({ ...rows[0], id, name: `New ${n}` });
  }
  const rowsBefore = await list(page).getAttribute('aria-rowcount');
  await expect.poll(() => list(page).getAttribute('aria-rowcount'), { timeout: 20_000 }).not.toBe(rowsBefore);
  expect((await read.boundingBox())?.y).toBe(before?.y);
});

test('the keyboard opens a run beside the list, goes on to the next, opens its page, and closes it', async () => {
  const { tenant, failed, second } = await withRuns();
  const { page, complaints } = await openConsole({ tenant, screen: '/runs' });
  await shows(page, 3);
  await list(page).focus();
  await page.keyboard.press('Enter');
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await preview.getByText('Nobody is there').first().waitFor();
  await preview.getByText('"people": 0').waitFor();
  await expectGoodScreen(page);
  await page.keyboard.press('ArrowDown');
  await preview.getByText('"people": 2').waitFor();
  await preview.getByRole('region', { name: 'Output' }).getByText('5', { exact: true }).waitFor();
  expect(addressOf(page)).toContain(second);
  await page.keyboard.press('Escape');
  await preview.waitFor({ state: 'detached' });
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await preview.waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('treegrid', { name: 'Trace' }).waitFor();
  expect(addressOf(page)).toBe(`#/runs/${failed}`);
  await page.goBack();
  await preview.waitFor();
  expect(complaints).toEqual([]);
});

test('on a phone, a row opens the page of its run', async () => {
  const { tenant, failed } = await withRuns();
  const { page } = await openConsole({
    tenant,
    screen: '/runs',
    viewport: { width: 390, height: 844 },
  });
  await shows(page, 3);
  await expectGoodScreen(page);
  await list(page)
    .getByRole('row', { name: /failed/ })
    .getByRole('gridcell')
    .nth(1)
    .click();
  await page.getByRole('treegrid', { name: 'Trace' }).waitFor();
  expect(addressOf(page)).toContain(failed);
  await expectGoodScreen(page);
});

test('the page of a run leads to its flow and to its session, and back to the list', async () => {
  const { tenant, first } = await withRuns();
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${first}` });
  const summary = page.getByRole('region', { name: 'Summary' });
  await summary.getByText('completed').waitFor();
  expect(await summary.getByRole('link', { name: 'A flow' }).count()).toBe(1);
  await expectGoodScreen(page);
  await summary.getByRole('link', { name: '007' }).click();
  await page.getByRole('button', { name: 'Session: 007' }).waitFor();
  await shows(page, 1);
  expect(complaints).toEqual([]);
});

test('the keyboard moves in the trace, closes and opens its spans, and the address has the one it is at', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const { executionId } = await answered(run(tenant, agent.id, scripted({ text: 'Hello Ada' })));
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${executionId}` });
  const trace = page.getByRole('treegrid', { name: 'Trace' });
  const selected = trace.getByRole('row', { selected: true });
  const rows = trace.getByRole('row');
  await trace.focus();
  const all = await rows.count();
  expect(await selected.getAttribute('aria-level')).toBe('1');
  await page.keyboard.press('End');
  await page.getByRole('region', { name: 'Details' }).getByText('Hello Ada').first().waitFor();
  expect(await selected.getAttribute('aria-level')).toBe('3');
  await expect.poll(() => addressOf(page)).toContain('span=');
  await expectGoodScreen(page);
  const address = addressOf(page);
  // To its parent, which then closes.
  await page.keyboard.press('ArrowLeft');
  expect(await selected.getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('ArrowLeft');
  expect(await selected.getAttribute('aria-expanded')).toBe('false');
  expect(await rows.count()).toBeLessThan(all);
  await page.keyboard.press('ArrowRight');
  expect(await rows.count()).toBe(all);
  await page.keyboard.press('Home');
  expect(await selected.getAttribute('aria-level')).toBe('1');
  await page.goto('about:blank');
  const again = await openConsole({ tenant, screen: address.slice(1) });
  await again.page.getByRole('region', { name: 'Details' }).getByText('Hello Ada').first().waitFor();
  expect(complaints).toEqual([]);
});

test('a failed span has a word, and a button leads to it', async () => {
  const { tenant, failed } = await withRuns();
  const { page } = await openConsole({ tenant, screen: `/runs/${failed}` });
  await page.getByRole('button', { name: 'Go to failure' }).click();
  const selected = page.getByRole('treegrid').getByRole('row', { selected: true });
  await selected.getByText('Share').waitFor();
  await selected.getByText('failed').waitFor();
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByText('step_failed').waitFor();
  await details.getByText(/Nobody is there/).waitFor();
  await expectGoodScreen(page);
});

test('a run that is open can be cancelled, and says so when it is', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [wait]);
  const id = await dispatched(tenant, flow.id, 1);
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${id}` });
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel run' }).click();
  await page.getByRole('region', { name: 'Summary' }).getByText('cancelled').first().waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
  const { status } = await expectStatus(200, tenant.call('GET', `/v1/runs/${id}`));
  expect(status).toBe('cancelled');
  expect(complaints).toEqual([]);
});

test('feedback with a comment and an expected value is sent, shown, and can be deleted', async () => {
  const { tenant, first } = await withRuns();
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${first}` });
  await page.getByRole('button', { name: 'Bad' }).click();
  await page.getByRole('textbox', { name: 'Comment' }).fill('Too little');
  await page.getByRole('textbox', { name: 'Expected output' }).fill('{ "share": 3 }');
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Send feedback' }).click();
  const feedback = page.getByRole('region', { name: 'Feedback' });
  await feedback.getByText('Too little').waitFor();
  await expectGoodScreen(page);
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/runs/${first}/feedback`));
  expect(data).toMatchObject([{ rating: -1, comment: 'Too little', expected: { share: 3 } }]);
  await feedback.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await feedback.getByText('Too little').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('the page of a batch has its records, and leads to what only the page of batches shows', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [share]);
  await createRecords(tenant, 'city', 3);
  const { body } = await runFlowOnRecords(tenant, flow.id, 'city');
  await finishedBatch(tenant, body.batchId);
  const { page } = await openConsole({ tenant, screen: `/runs/${body.batchId}` });
  const trace = page.getByRole('treegrid', { name: 'Trace' });
  await expect.poll(() => trace.getByRole('row', { expanded: false }).count()).toBe(3);
  await trace.getByRole('row', { expanded: false }).first().click();
  await page.getByRole('link', { name: 'Open record' }).waitFor();
  await expectGoodScreen(page);
  await page.getByRole('link', { name: 'Open batch' }).click();
  await page.getByRole('heading', { name: 'Run on records', level: 1 }).waitFor();
});

test('who may not read runs of a kind is told which permission it takes', async () => {
  const { tenant, first } = await withRuns();
  const { page } = await openConsole({ tenant, permissions: ['AGENTS:READ'], screen: '/runs' });
  await page.getByText('No runs yet').waitFor();
  await goTo(page, `/runs/${first}`);
  await page.getByRole('alert').getByText('Not found').first().waitFor();
  await page.getByText('FLOWS:READ').waitFor();
  await expectGoodScreen(page);
});

test('who may only read a run is told why it cannot be rated', async () => {
  const { tenant, first } = await withRuns();
  const { page } = await openConsole({ tenant, permissions: ['FLOWS:READ'], screen: `/runs/${first}` });
  await page.getByRole('button', { name: 'Good' }).click();
  await page.getByRole('button', { name: 'Send feedback' }).click();
  await page.getByRole('alert').filter({ hasText: 'FLOWS:EXECUTE' }).waitFor();
});
