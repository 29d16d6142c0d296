import { expect } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
} from '../support/flows/flows.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const failing = { type: 'transform-data', name: 'Fail', config: { script: 'throw new Error("No")' } };

const hello = async (tenant: Tenant, name = 'Guide') => {
  const agent = await createScriptedAgent(tenant, {}, { name });
  await answered(run(tenant, agent.id, scripted({ text: 'Hello' })));
};

test('in a new workspace, a checklist and the templates say where to begin', async () => {
  const { page, complaints, tenant } = await openConsole();
  const list = page.getByRole('region', { name: 'Get started' });
  await list.getByText('0 of 4 done').waitFor();
  await page.getByRole('article', { name: 'Classify records' }).waitFor();
  expect(await page.getByRole('radio', { name: '24 h' }).count()).toBe(0);
  await expectGoodScreen(page);
  await list.getByRole('button', { name: 'Load sample data' }).click();
  await page.getByRole('heading', { name: 'support-ticket', level: 1 }).waitFor();
  const { body } = await tenant.call('GET', '/v1/records?type=support-ticket&limit=100');
  expect(body.data).toHaveLength(50);
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Home' }).click();
  await list.getByText('1 of 4 done').waitFor();
  await list.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});

test('the checklist ticks itself off by what exists, and stays away once it is dismissed', async () => {
  const tenant = await newTenant();
  await hello(tenant);
  await tenant.call('POST', '/v1/model-configs', {
    body: { provider: 'generic-openai', modelId: 'fitting' },
  });
  const { page } = await openConsole({ tenant });
  const list = page.getByRole('region', { name: 'Get started' });
  await list.getByText('2 of 4 done').waitFor();
  await list.getByText('Connect a model: done').waitFor();
  await list.getByText('Create an API key: to do').waitFor();
  await list.getByRole('button', { name: 'Dismiss' }).click();
  await list.waitFor({ state: 'detached' });
  await goTo(page, '/flows');
  await page.getByText('No flows yet').waitFor();
  await goTo(page, '/');
  await page.getByRole('region', { name: 'Recent failures' }).waitFor();
  expect(await list.count()).toBe(0);
});

test('home shows figures and charts of the range in the address', async () => {
  const tenant = await newTenant();
  await hello(tenant);
  const clerk = await createScriptedAgent(tenant, {}, { name: 'Clerk' });
  await run(tenant, clerk.id, scripted({ status: 400, message: 'Refused' }));
  const { page, complaints } = await openConsole({ tenant, screen: '/?range=7d' });
  const figures = page.getByRole('region', { name: 'The last 7 days' });
  await figures.getByText('1 of 2 failed').waitFor();
  await figures.getByText('50 %').waitFor();
  await page
    .getByRole('img', { name: /^Runs by outcome, the last 7 days\. 2 runs ended, 1 of them failed/ })
    .waitFor();
  await page
    .getByRole('img', { name: /^Runs by outcome/ })
    .locator('canvas')
    .waitFor();
  await expectGoodScreen(page);
  await page.getByRole('radio', { name: '30 days' }).check();
  await page.getByRole('region', { name: 'The last 30 days' }).waitFor();
  expect(page.url()).toContain('range=30d');
  await page.getByRole('region', { name: 'Runs' }).getByText('Show as a table').click();
  const table = page.getByRole('table', { name: 'Runs by outcome, the last 30 days' });
  // Until the answer comes, the numbers of the range before stay.
  await expect.poll(() => table.getByRole('row').count()).toBe(31);
  expect(await table.getByRole('row').last().innerText()).toMatch(/1\s+1\s+0$/);
  expect(complaints).toEqual([]);
});

test('home groups failures by reason, and each links to the runs that failed for it', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [failing]);
  await createRecords(tenant, 'city', 2);
  const { body: started } = await runFlowOnRecords(tenant, flow.id, 'city');
  await finishedBatch(tenant, started.batchId);
  const clerk = await createScriptedAgent(tenant, {}, { name: 'Clerk' });
  for (const _ of [1, 2]) await run(tenant, clerk.id, scripted({ status: 400, message: 'Refused' }));
  const { page } = await openConsole({ tenant });
  const reasons = page.getByRole('list', { name: 'Recent failures' }).getByRole('listitem');
  await reasons.filter({ hasText: '2 times' }).filter({ hasText: 'Clerk' }).waitFor();
  expect(await reasons.count()).toBe(2);
  const address = await reasons.first().getByRole('link').first().getAttribute('href');
  const filter = new URLSearchParams(address?.split('?')[1]);
  expect(filter.get('status')).toBe('failed');
  const { body } = await tenant.call('GET', `/v1/runs?${filter}`);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Clerk', 'Clerk']);
});

test('home shows what runs and what waits for somebody, and follows it', async () => {
  const tenant = await newTenant();
  const keeper = await createScriptedAgent(
    tenant,
    { tools: { toolIds: ['builtin:calculator'], approval: { require: true } } },
    { name: 'Keeper' },
  );
  const { page } = await openConsole({ tenant });
  await page.getByText('Nothing has run yet').waitFor();
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'done' });
  const { pausedReason } = await answered(run(tenant, keeper.id, script));
  await page.reload();
  const waiting = page.getByRole('table', { name: 'Waiting for input' });
  await waiting.getByRole('link', { name: 'Keeper' }).waitFor();
  await waiting.getByText('an approval or a tool').waitFor();
  await page.getByText('Nothing is running').waitFor();
  const decision = { executionId: pausedReason.executionId, approvalId: pausedReason.awaits[0].approvalId };
  await tenant.call('POST', `/v1/agents/${keeper.id}/approve`, {
    body: { ...decision, decision: 'approved', streamResponse: false },
  });
  await waiting.waitFor({ state: 'detached' });
});

test('home shows an open run until it ends', async () => {
  const tenant = await newTenant();
  await hello(tenant);
  const { page } = await openConsole({ tenant });
  await page.getByText('Nothing is running').waitFor();
  const worker = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' }, { name: 'Worker' });
  const { executionId } = await expectStatus(
    202,
    run(tenant, worker.id, 'Work', { options: { background: true } }),
  );
  const running = page.getByRole('table', { name: 'Running' });
  await running.getByRole('link', { name: 'Worker' }).waitFor();
  expect(await page.getByRole('link', { name: 'Show all' }).getAttribute('href')).toContain('status=running');
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
  await running.waitFor({ state: 'detached' });
});

test('home and the menu ask for the open runs together; what others push out of that list is asked for apart', async () => {
  const tenant = await newTenant();
  await hello(tenant);
  const { page } = await openConsole({ tenant });
  const asked = new Set<string>();
  page.on('request', (request) => {
    const status = new URL(request.url()).searchParams.get('status');
    if (status && /paused|running/.test(status)) asked.add(status);
  });
  await page.getByText('Nothing is running').waitFor();
  await page.getByText('Nothing is waiting').waitFor();
  await expect.poll(() => [...asked]).toEqual(['running,scheduled,paused']);

  const row = (await expectStatus(200, tenant.call('GET', '/v1/runs'))).data[0];
  await page.route('**/v1/runs?**', (route) => {
    const status = new URL(route.request().url()).searchParams.get('status');
    const isAll = status === 'running,scheduled,paused';
    if (!isAll && status !== 'paused') return route.continue();
    const data = isAll ? [{ ...row, status: 'running' }] : [{ ...row, name: 'Old one', status: 'paused' }];
    const pagination = { nextCursor: isAll ? 'more' : null, hasMore: isAll, limit: 50 };
    return route.fulfill({ json: { data, pagination } });
  });
  await page.getByRole('link', { name: 'Runs 1+ open' }).waitFor();
  await page.getByRole('table', { name: 'Waiting for input' }).getByText('Old one').waitFor();
});

test('settings show the spending of today and of the month, and the limits of requests', async () => {
  const { page } = await openConsole({ screen: '/settings/usage' });
  for (const text of ['Cost today', 'Cost this month', 'Requests of this session or key']) {
    await page.getByText(text).waitFor();
  }
  await expectGoodScreen(page);
});

test('without a run in the last day, home shows the shortest range that has one', async () => {
  const tenant = await newTenant();
  await hello(tenant);
  const { page } = await openConsole({ tenant, screen: '/settings/usage' });
  await page.route('**/v1/run-metrics*', async (route) => {
    const response = await route.fetch();
    const metrics = await response.json();
    const isOfMonth = route.request().url().includes('interval=day');
    const { total, points } = metrics.groups[0];
    if (!isOfMonth) total.runs = 0;
    for (const [index, point] of points.entries()) point.completed = isOfMonth && index === 20 ? 3 : 0;
    await route.fulfill({ response, json: metrics });
  });
  await goTo(page, '/');
  await page.getByRole('region', { name: 'The last 30 days' }).waitFor();
  await page.getByRole('radio', { name: '24 h' }).check();
  await page.getByText('Nothing ended in the last 24 hours').waitFor();
  await expectGoodScreen(page);
});
