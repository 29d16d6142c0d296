import { test as anyTest, expect } from 'vitest';
import { emptyFlowRun, withFlowEvents } from '../../console/src/run/flow-run.ts';
import type { RunEvent } from '../../console/src/run/parts/events.ts';
import { stepChanges } from '../../console/src/screens/flows/step-diff.ts';
import { groupFailures } from '../../console/src/screens/runs/failure-groups.ts';
import { browserTest, expectGoodScreen, goTo, openConsole } from '../support/console/console.ts';
import { pricedModel } from '../support/models/model-configs.ts';
import type { Tenant } from '../support/stack/stack.ts';

const test = browserTest;

async function createFlow({ call }: Tenant, name: string, flowSteps: object[]): Promise<string> {
  const { body } = await call('POST', '/v1/flows', { body: { name, flowSteps } });
  return body.id;
}

const createRecord = async ({ call }: Tenant, name: string, metadata: object): Promise<string> =>
  (await call('POST', '/v1/records', { body: { type: 'city', name, metadata } })).body.id;

const mayorOf = (script: string) => ({
  type: 'transform-data',
  name: 'Find the mayor',
  config: { script, outputVariable: 'mayor' },
});

anyTest('failures are counted by record, and the most frequent reason is the first', () => {
  const row = (recordId: string, errorMessage: string) => ({
    recordId,
    recordName: recordId,
    stepName: 'Fetch',
    errorMessage,
  });
  const groups = groupFailures([row('a', 'No'), row('b', 'Late'), row('c', 'Late'), row('c', 'Late')]);
  expect(groups.map(({ reason, records }) => [reason, [...records.keys()]])).toEqual([
    ['Late', ['b', 'c']],
    ['No', ['a']],
  ]);
});

anyTest('the time line has each step once, with its texts, its tool calls and how it ended', () => {
  const [ask, skip] = [
    { id: 'ask', name: 'Ask', index: 0, path: '0' },
    { id: 'skip', name: 'Skip', index: 1, path: '1.true.0' },
  ];
  const call = { toolCallId: 'call_1', stepId: 'ask' };
  const events = [
    { type: 'execution_start', kind: 'flow', totalSteps: 2 },
    { type: 'step_start', ...ask, stepType: 'prompt', totalSteps: 2 },
    { type: 'text_delta', id: 'text_1', stepId: 'ask', delta: 'Nai' },
    { type: 'tool_start', ...call, toolName: 'look_up', toolType: 'builtin' },
    { type: 'tool_complete', ...call, toolName: 'look_up', success: true, result: 42, executionTime: 7 },
    { type: 'text_delta', id: 'text_1', stepId: 'ask', delta: 'robi' },
    { type: 'step_complete', ...ask, success: false, result: null, error: 'Too long', durationMs: 9 },
    { type: 'step_skip', ...skip, when: 'false' },
    { type: 'execution_complete', kind: 'flow', success: false, finalOutput: null, durationMs: 10 },
  ].map((event, seq) => ({ ...event, executionId: 'exec_1', seq }) as unknown as RunEvent);
  // However the events arrive, the outcome is the same.
  const atOnce = withFlowEvents(emptyFlowRun, events);
  expect(events.reduce((run, event) => withFlowEvents(run, [event]), emptyFlowRun)).toEqual(atOnce);
  expect(atOnce).toMatchObject({
    totalSteps: 2,
    steps: [
      {
        id: 'ask',
        stepType: 'prompt',
        status: 'failed',
        error: 'Too long',
        durationMs: 9,
        parts: [
          { kind: 'text', text: 'Nairobi' },
          { kind: 'tool', name: 'look_up', output: 42, durationMs: 7 },
        ],
      },
      { id: 'skip', status: 'skipped', when: 'false' },
    ],
    end: { status: 'failed', durationMs: 10 },
  });
});

anyTest('steps differ by their ids: a step that others were put around is not moved', () => {
  const step = (id: string, template = '') => ({ id, type: 'template', name: id, config: { template } });
  const changes = stepChanges(
    [step('a'), step('b', 'old'), step('c'), step('d')],
    [step('c'), step('new'), step('a'), step('b', 'now')],
  );
  expect(changes.map(({ id, kind }) => [id, kind])).toEqual([
    ['c', 'moved'],
    ['new', 'added'],
    ['b', 'changed'],
    ['d', 'removed'],
  ]);
  expect(changes[2]?.members).toEqual([{ name: 'template', before: 'old', after: 'now' }]);
  const many = Array.from({ length: 1_000 }, (_, n) => step(`${n}`));
  expect(stepChanges(many, [...many.slice(1), many[0] as object])).toMatchObject([
    { id: '0', kind: 'moved' },
  ]);
});

test('a flow runs on the records of a type; what failed is grouped, and runs again', async () => {
  const { page, tenant, complaints } = await openConsole();
  const flowId = await createFlow(tenant, 'Mayors', [
    mayorOf(
      'if (!_record.metadata.mayor) throw new Error("There is no mayor"); return _record.metadata.mayor',
    ),
  ]);
  await createRecord(tenant, 'Nairobi', { mayor: 'Johnson' });
  const names = ['Atlantis', '<b>مدينة</b>'];
  for (const name of names) await createRecord(tenant, name, { lost: true });
  await goTo(page, `/flows/${flowId}/run`);
  await page.getByText('3 records match').waitFor();
  await expectGoodScreen(page);
  await page.getByLabel('Concurrency').fill('51');
  await page.getByText('A whole number from 1 to 50').waitFor();
  expect(await page.getByRole('button', { name: 'Run on 3 records' }).isDisabled()).toBe(true);
  await page.getByLabel('Concurrency').fill('5');
  await page.getByRole('button', { name: 'Run on 3 records' }).click();
  await page.getByText('3 of 3', { exact: true }).waitFor({ timeout: 20_000 });
  const [failures, steps] = ['Failures', 'Steps'].map((name) => page.getByRole('region', { name }));
  await failures?.getByText('2 × Find the mayor').click();
  await failures?.getByRole('link', { name: '<b>مدينة</b>' }).waitFor();
  await failures?.getByText('There is no mayor').waitFor();
  await steps?.getByRole('row').filter({ hasText: 'Johnson' }).waitFor();
  // react-aria's announcement of the button that was pending, whose name has left the page with it
  await page.locator('[data-live-announcer] [role=img]').waitFor({ state: 'detached', timeout: 10_000 });
  await expectGoodScreen(page);
  const first = page.url();
  await page.getByRole('button', { name: 'Retry 2 failed records' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog
    .getByText('2 records go on at Find the mayor. All results before it are taken over.')
    .waitFor();
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await page.waitForURL((url) => url.href !== first);
  await page.getByText('2 of 2', { exact: true }).waitFor({ timeout: 20_000 });
  await page.getByText('Failed', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'an earlier run' }).click();
  await page.waitForURL(first);
  expect(complaints).toEqual([]);
});

test('a run that reuses what is unchanged says what it took over, and what that saved', async () => {
  const { page, tenant } = await openConsole();
  const model = await pricedModel(tenant, { mapping: 'echo' });
  const ask = { type: 'prompt', name: 'Ask', config: { model, userPrompt: 'About {{ _record.name }}' } };
  const flowId = await createFlow(tenant, 'Asking', [ask]);
  await createRecord(tenant, 'Nairobi', {});
  await createRecord(tenant, 'Nairobi', {});
  for (const cost of [/^<?\$/, /^Reused · saved \$/]) {
    await goTo(page, `/flows/${flowId}/run`);
    await page.getByText('1 record matches').waitFor();
    await page.getByLabel('Reuse unchanged results').check();
    const forecast = page.getByRole('region', { name: 'Forecast' });
    await forecast.getByText(/^\$/).first().waitFor();
    if (cost.test('Reused · saved $1')) await forecast.getByText('1 result reused').waitFor();
    await page.getByRole('button', { name: 'Run on 1 record' }).click();
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByRole('row').filter({ hasText: 'Nairobi' }).getByText(cost).waitFor();
  }
  await expectGoodScreen(page);
});

test('an edited draft is computed again for what it costs by the forecast, and then costs nothing more', async () => {
  const { page, tenant, complaints } = await openConsole();
  const model = await pricedModel(tenant, { mapping: 'echo' });
  const ask = { type: 'prompt', name: 'Ask', config: { model, userPrompt: 'About {{ _record.name }}' } };
  const flowId = await createFlow(tenant, 'Asking', [ask]);
  await tenant.call('POST', `/v1/flows/${flowId}/publish`);
  await createRecord(tenant, 'Nairobi', {});
  await goTo(page, `/flows/${flowId}/run`);
  await page.getByRole('link', { name: 'Recompute' }).click();
  const recompute = page.getByRole('button', { name: 'Recompute 1 record' });
  const forecast = page.getByRole('region', { name: 'Forecast' });
  await forecast
    .getByText(/^\$0\.\d/)
    .first()
    .waitFor();
  expect(await page.getByLabel('Version').locator('option').allTextContents()).toEqual([
    'Draft as saved',
    'Published version',
  ]);
  await expectGoodScreen(page);
  await recompute.click();
  await page.getByText('1 of 1', { exact: true }).waitFor({ timeout: 20_000 });
  await goTo(page, `/flows/${flowId}/recompute`);
  await page.getByLabel('Version').selectOption('Published version');
  await forecast.getByText('1 result reused').waitFor();
  await recompute.click();
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps
    .getByRole('row')
    .filter({ hasText: 'Nairobi' })
    .getByText(/^Reused · saved \$/)
    .waitFor();
  const { data } = (await tenant.call('GET', '/v1/runs')).body;
  expect(data).toMatchObject([{ trigger: { type: 'recompute' } }, { trigger: { type: 'recompute' } }]);
  expect(complaints).toEqual([]);
});

test('a run with a filter takes the matching records only, and can be cancelled', async () => {
  const { page, tenant } = await openConsole();
  const wait = { type: 'wait-until', name: 'Wait', config: { delayMs: 3_600_000 } };
  const flowId = await createFlow(tenant, 'Slow', [wait]);
  await createRecord(tenant, 'Nairobi', { size: 4 });
  await createRecord(tenant, 'Lamu', { size: 1 });
  await goTo(page, `/flows/${flowId}/run`);
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByLabel(/field/i).first().fill('size');
  await page.getByLabel(/value/i).first().fill('4');
  await page.getByText('1 record matches').waitFor();
  await page.getByRole('button', { name: 'Run on 1 record' }).click();
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel run' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  await page.getByText('0 of 1', { exact: true }).waitFor();
});

test('whoever leaves while a run is being started stays where they went', async () => {
  const { page, tenant } = await openConsole();
  const flowId = await createFlow(tenant, 'Left', [mayorOf('return 1')]);
  await createRecord(tenant, 'Nairobi', {});
  await goTo(page, `/flows/${flowId}/run`);
  await page.route('**/v1/batch/flow', async (route) => {
    await new Promise((done) => setTimeout(done, 1_500));
    await route.continue();
  });
  await Promise.all([
    page.waitForRequest('**/v1/batch/flow'),
    page.getByRole('button', { name: 'Run on 1 record' }).click(),
  ]);
  await goTo(page, '/products');
  await page.getByText('Run started').waitFor();
  await page.waitForTimeout(500);
  expect(page.url()).toMatch(/#\/products$/);
});

test('a flow is tried on a record of its own choice; the steps show what each made', async () => {
  const { page, tenant, complaints } = await openConsole();
  const flowId = await createFlow(tenant, 'Greeting', [
    mayorOf('return _record.metadata.mayor.toUpperCase()'),
    { type: 'template', name: 'Greet', config: { template: 'Jambo {{ mayor }}', outputVariable: 'text' } },
  ]);
  await createRecord(tenant, 'Nairobi', { mayor: 'Johnson' });
  await createRecord(tenant, 'Atlantis', {});
  await goTo(page, `/flows/${flowId}/try`);
  await page.getByLabel('Record', { exact: true }).selectOption('Nairobi');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('The run succeeded').waitFor();
  const line = page.getByRole('region', { name: 'Timeline' });
  await line.locator('summary').filter({ hasText: 'Find the mayor' }).click();
  await line.getByRole('group', { name: 'Output', exact: true }).getByText('JOHNSON').waitFor();
  await line.getByRole('group', { name: 'Final output' }).getByText('Jambo JOHNSON').waitFor();
  await expectGoodScreen(page);
  await page.getByLabel('Name contains').fill('Atl');
  await expect
    .poll(() => page.getByLabel('Record', { exact: true }).locator('option').allInnerTexts())
    .toEqual(['Atlantis']);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('The run failed').waitFor();
  await line.getByText('toUpperCase').first().waitFor();
  expect(complaints).toEqual([]);
});

test('a try that is begun with two clicks goes on, with the steps that are stored now', async () => {
  const { page, tenant } = await openConsole();
  const flowId = await createFlow(tenant, 'Changed elsewhere', [mayorOf('return 1')]);
  await goTo(page, `/flows/${flowId}/try`);
  await page.getByLabel('Test with').selectOption('No record');
  const flowSteps = [{ type: 'template', name: 'Of now', config: { template: 'now', outputVariable: 'x' } }];
  await tenant.call('PUT', `/v1/flows/${flowId}`, { body: { flowSteps } });
  await page.getByRole('button', { name: 'Run', exact: true }).dblclick();
  await page.getByText('The run succeeded').waitFor();
  await page.getByText('Of now').waitFor();
});

test('a step that was tried several times shows each attempt', async () => {
  const { page, tenant, complaints } = await openConsole();
  const other = { type: 'model', model: 'generic-openai/echo', delay: 20 };
  const errorHandling = { onError: 'fallback', fallbacks: [{ type: 'retry' }, other] };
  const flowId = await createFlow(tenant, 'Careful', [
    {
      type: 'prompt',
      name: 'Ask',
      config: { model: 'generic-openai/refusing', userPrompt: 'Jambo', errorHandling },
    },
  ]);
  await createRecord(tenant, 'Nairobi', {});
  await goTo(page, `/flows/${flowId}/try`);
  await page.getByLabel('Record', { exact: true }).selectOption('Nairobi');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('The run succeeded').waitFor();
  await page.getByText('3 attempts').click();
  const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
  await attempts.nth(0).getByText('The prompt was refused').waitFor();
  await attempts.nth(2).getByText('generic-openai/echo').waitFor();
  expect(await attempts.count()).toBe(3);
  expect(await attempts.nth(2).innerText()).toMatch(/20 ms later completed/i);
  await expectGoodScreen(page);
  await goTo(page, `/flows/${flowId}/run`);
  await page.getByRole('button', { name: 'Run on 1 record' }).click();
  await page.getByRole('row').getByText('3 attempts').click();
  await attempts.nth(2).getByText('generic-openai/echo').waitFor();
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('versions are compared, and an earlier one is published again', async () => {
  const { page, tenant, complaints } = await openConsole();
  const greet = (id: string, template: string, name = id) => ({
    id,
    name,
    type: 'template',
    config: { template },
  });
  const flowId = await createFlow(tenant, 'Greeting', [greet('Greet', 'Jambo'), greet('Part', 'Kwaheri')]);
  const publish = () => tenant.call('POST', `/v1/flows/${flowId}/publish`);
  await publish();
  const { status } = await tenant.call('PUT', `/v1/flows/${flowId}`, {
    body: { flowSteps: [greet('Greet', 'Habari'), greet('Leave', 'Bye', 'وداع')] },
  });
  expect(status).toBe(200);
  await publish();
  await goTo(page, `/flows/${flowId}/versions`);
  await page.getByRole('button', { name: 'Compare version 2' }).click();
  const difference = page.getByRole('region', { name: 'Differences' });
  await difference.getByText('3 steps differ').waitFor();
  await difference.locator('del', { hasText: 'Jambo' }).waitFor();
  await difference.locator('ins', { hasText: 'Habari' }).waitFor();
  await difference.getByText('وداع').waitFor();
  await expectGoodScreen(page);
  await page
    .getByRole('row')
    .filter({ hasText: 'earlier' })
    .getByRole('button', { name: 'Go back', exact: true })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Go back' }).click();
  await page.getByText('New runs use this version', { exact: true }).waitFor();
  const { body } = await tenant.call('GET', `/v1/flow-versions/${flowId}/published`);
  expect(body.flowConfig.steps[0].config.template).toBe('Jambo');
  expect(complaints).toEqual([]);
});
