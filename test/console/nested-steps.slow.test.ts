import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, openConsole, tabTo, browserTest as test } from '../support/console/console.ts';
import { openFlowEditor } from '../support/console/flow-editor.ts';
import { createRecords, expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const named = (id: string, text: string, variable?: string) => ({
  ...template(text, variable),
  id,
  name: id,
});
const map = (items: string, ...steps: object[]) => ({
  type: 'map',
  id: 'each',
  name: 'Each',
  config: { items, steps, onError: 'continue', outputVariable: 'all' },
});
const parallel = (...branches: object[]) => ({
  type: 'parallel',
  id: 'both',
  name: 'Both',
  config: { branches, outputVariable: 'both' },
});

async function addStep(page: Page, button: ReturnType<Page['getByRole']>, type: string) {
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Add step' });
  await dialog.getByRole('button', { name: type, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
};
const stepsOf = async ({ call }: Tenant, id: string) =>
  (await expectStatus(200, call('GET', `/v1/flows/${id}`))).flowSteps;

test('one adds a map with a step inside, which may read the item, and publishes it', async () => {
  const { page, tenant, id, complaints } = await openFlowEditor([named('Start', 'x')], {});
  await addStep(page, page.getByRole('button', { name: 'Add step' }), 'For each item');
  const form = page.getByRole('region', { name: 'Step For each item' });
  await form.getByRole('textbox', { name: 'Items' }).fill('["a", "b"]');
  const inside = form.getByRole('group', { name: 'Steps for each item' });
  await addStep(page, inside.getByRole('button', { name: 'Add step' }), 'Template');
  const text = inside.getByRole('textbox', { name: 'Template' });
  await text.click();
  await page.keyboard.type('{{ it');
  // By the pointer: the editor takes no key in the first 75 ms of its suggestions.
  await page.getByRole('option', { name: /^item/ }).first().click();
  await page.keyboard.type(' }}');
  await expect.poll(() => text.innerText()).toBe('{{ item }}');
  await form.getByText('Condition, time limit and retry').last().click();
  await form.getByText('Retry', { exact: true }).last().click();
  await form.getByLabel('Retry after failures').last().check();
  await form.getByLabel('Time limit (ms)').last().fill('5000');
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Save and publish' }).click();
  await page.getByText('Published. New runs use these steps').waitFor();
  const body = { flow: { id }, options: { streamResponse: false } };
  expect((await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }))).output).toEqual(['a', 'b']);
  const [, step] = await stepsOf(tenant, id);
  expect(step).toMatchObject({ retry: {}, timeoutMs: 5_000, config: { items: '["a", "b"]' } });
  expect(complaints).toEqual([]);
});

test('one names, adds and removes the branches of a parallel step, and edits their steps', async () => {
  const branches = [
    { name: 'left', steps: [named('one', '1')] },
    { name: 'middle', steps: [] },
    { name: 'right', steps: [named('two', '2')] },
  ];
  const { page, tenant, id } = await openFlowEditor([parallel(...branches)], {});
  const branch = (name: string) => page.getByRole('group', { name, exact: true });
  await branch('left').getByLabel('Name of the branch').fill('first');
  await addStep(page, branch('middle').getByRole('button', { name: 'Add step' }), 'Approval');
  await branch('middle').getByLabel('Question').fill('Go on?');
  await branch('right').getByRole('button', { name: /^two/ }).click();
  await branch('right').getByRole('textbox', { name: 'Template' }).fill('22');
  await page.getByRole('button', { name: 'Add branch' }).click();
  await branch('branch4').waitFor();
  await page.getByRole('button', { name: 'Remove branch first' }).click();
  await expectGoodScreen(page);
  await save(page);
  const [{ config }] = await stepsOf(tenant, id);
  expect(config.branches).toMatchObject([
    { name: 'middle', steps: [{ type: 'approval', config: { question: 'Go on?' } }] },
    { name: 'right', steps: [{ id: 'two', config: { template: '22' } }] },
    { name: 'branch4', steps: [] },
  ]);
});

test('the graph has branches side by side, adds a step to one, and goes through them with the keyboard', async () => {
  const again = {
    type: 'loop',
    id: 'again',
    name: 'Again',
    config: { while: '_loop.index < 2', maxIterations: 2, steps: [named('pass', '{{ _loop.index }}')] },
  };
  const names = Array.from({ length: 20 }, (_, n) => `b${n}`);
  const steps = (n: number) =>
    n === 0 ? [map('[1]', named('inner', '{{ item }}'))] : n === 1 ? [again] : [];
  const branches = names.map((name, n) => ({ name, steps: steps(n) }));
  const { page, tenant, id } = await openFlowEditor([parallel(...branches), named('Last', 'x')], {});
  await page.getByRole('radio', { name: 'Graph' }).check();
  const node = (name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) });
  await node('inner').waitFor();
  const graph = page.getByRole('tree', { name: 'Steps' }).locator('..');
  for (const note of ['for each item of [1]', 'while _loop.index < 2', 'b19'])
    await graph.getByText(note, { exact: true }).waitFor();
  await tabTo(page, 'treeitem', /^Both/);
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('bdi')?.textContent);
  for (const [key, name] of [
    ['ArrowDown', 'Each'],
    ['ArrowDown', 'inner'],
    ['ArrowRight', 'pass'],
    ['ArrowUp', 'Again'],
    ['ArrowLeft', 'Each'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(focused).toBe(name);
  }
  await expectGoodScreen(page);
  // The first places of the flow, of two branches and of what they hold are before that of the last branch.
  const first = page.getByRole('button', { name: 'Add step at the beginning' }).last();
  await first.scrollIntoViewIfNeeded();
  await addStep(page, first, 'Template');
  await node('Template').waitFor();
  await page
    .getByRole('region', { name: 'Step Template' })
    .getByRole('textbox', { name: 'Template' })
    .fill('x');
  await save(page);
  const [{ config }] = await stepsOf(tenant, id);
  expect(config.branches.at(-1)).toMatchObject({ name: 'b19', steps: [{ config: { template: 'x' } }] });
  expect(config.branches[0].steps[0].config.steps).toMatchObject([{ id: 'inner' }]);
});

test('a map shows what came of each item, where one tries a flow and on the page of the run', async () => {
  const tenant = await newTenant();
  const fails = {
    type: 'transform-data',
    id: 'check',
    name: 'check',
    config: { script: 'if (item === "b") throw new Error("No b"); return item + "!"' },
  };
  await createRecords(tenant, 'thing', 1);
  const flow = await publishedFlow(tenant, [map('["a", "b"]', named('text', '{{ item }}'), fails)]);
  const { page, complaints } = await openConsole({ tenant, screen: `/flows/${flow.id}/try` });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('The run succeeded').waitFor();
  await timeline.getByText('each[1]/check').waitFor();
  await timeline.locator('summary', { hasText: 'For each item' }).click();
  const rows = page.getByRole('table', { name: 'Items' }).getByRole('row');
  await expect
    .poll(() => rows.allInnerTexts())
    .toMatchObject([
      expect.stringContaining('Output'),
      expect.stringMatching(/each\[0\]\s+Completed\s+a!/),
      expect.stringMatching(/each\[1\]\s+Failed/),
    ]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  await page.goto(page.url().replace(/#.*/, `#/runs/${executionId}`));
  await page
    .getByRole('treeitem', { name: /Each/ })
    .or(page.getByText('Each', { exact: true }))
    .first()
    .click();
  await expect
    .poll(() => rows.allInnerTexts())
    .toMatchObject([
      expect.stringContaining('Output'),
      expect.stringMatching(/each\[0\]\s+Completed\s+a!/),
      expect.stringMatching(/each\[1\]\s+Failed\s+.*No b/),
    ]);
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});
