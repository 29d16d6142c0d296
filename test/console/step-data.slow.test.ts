import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, tabTo, browserTest as test } from '../support/console/console.ts';
import { openFlowEditor } from '../support/console/flow-editor.ts';
import { expectStatus, template } from '../support/flows/flows.ts';

const script = (name: string, text: string, outputVariable: string) => ({
  type: 'transform-data',
  name,
  config: { script: text, outputVariable },
});
const prompt = (userPrompt: string, model = 'generic-openai/small') => ({
  type: 'prompt',
  name: 'Ask',
  config: { model, userPrompt, outputVariable: 'answer' },
});
const city = script('Read city', 'return _record.metadata.city', 'city');
const says = (text: string) => ({ ...template(text), name: 'Say it' });

const openFlow = (flowSteps: object[]) => openFlowEditor(flowSteps, { Hilo: 'Hilo, Hawaii' });

const select = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Steps' })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
const openData = (page: Page) => page.getByText('Input and output on a sample record').click();
const part = (page: Page, name: 'Input' | 'Output') => page.getByRole('group', { name, exact: true }).first();

test('a step shows what it gets and makes on the sample record, after each edit, saved or not', async () => {
  const { page, tenant, id, runs, complaints } = await openFlow([city, says('In {{ city }}')]);
  await select(page, 'Say it');
  await page.getByRole('button', { name: 'city, set by Read city' }).waitFor();
  expect(runs).toEqual([]);
  await openData(page);
  await part(page, 'Output').getByText('In Hilo, Hawaii').waitFor();
  await part(page, 'Input').getByText('by Read city').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('textbox', { name: 'Template' }).fill('Off to {{ city | upcase }}');
  await part(page, 'Output').getByText('Off to HILO, HAWAII').waitFor();
  await select(page, 'Read city');
  await page.getByRole('textbox', { name: 'Script' }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText('throw new Error("No such city")');
  await part(page, 'Output').getByText('No such city').waitFor();
  await page.getByRole('button', { name: 'Change sample record' }).click();
  await page.getByLabel('Test with').selectOption('No record');
  await page.getByRole('button', { name: 'Done' }).click();
  await part(page, 'Input').getByText('No variables').waitFor();
  const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${id}`));
  expect(flowSteps[0].config.script).toBe('return _record.metadata.city');
  expect(complaints).toEqual([]);
});

test('what costs something runs on request only; steps after it use its result without running it again', async () => {
  const { page, runs } = await openFlow([city, prompt('Greet {{ city }}'), says('It said: {{ answer }}')]);
  await select(page, 'Say it');
  await openData(page);
  await part(page, 'Output').getByText('Waits for Ask').waitFor();
  await part(page, 'Input').getByText('by Read city').waitFor();
  await page.getByText('costs tokens').waitFor();
  expect(runs.join()).not.toContain('"prompt"');
  await page.getByRole('button', { name: 'Run up to here' }).click();
  await part(page, 'Output').getByText('It said: You said: Greet Hilo, Hawaii').waitFor();
  await expectGoodScreen(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectGoodScreen(page);
  runs.length = 0;
  await page.getByRole('textbox', { name: 'Template' }).fill('Again: {{ answer }}');
  await part(page, 'Output').getByText('Again: You said: Greet Hilo, Hawaii').waitFor();
  expect(runs).toHaveLength(1);
  expect(runs.join()).not.toContain('"prompt"');
  await page.getByRole('button', { name: 'Clear kept results' }).click();
  await part(page, 'Output').getByText('Waits for Ask').waitFor();
});

test('a run that somebody asked for is stopped, and keeps nothing', async () => {
  const { page } = await openFlow([prompt('Greet', 'generic-openai/hanging')]);
  await openData(page);
  await part(page, 'Output').getByText('Not run yet').waitFor();
  await page.getByRole('button', { name: 'Run up to here' }).click();
  await page.getByText('Running Ask …').waitFor();
  const cancelled = page.waitForResponse(/\/v1\/runs\/exec_\w+\/cancel$/);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  expect((await cancelled).status()).toBe(200);
  await page
    .getByRole('button', { name: 'Run up to here' })
    .and(page.locator(':not([aria-disabled])'))
    .waitFor();
  await part(page, 'Output').getByText('Not run yet').waitFor();
});

test('in the graph, a step of a branch shows its data, and pointing at a variable marks where it comes from', async () => {
  const condition = (text: string) => ({
    type: 'conditional',
    name: 'Is it far?',
    config: { condition: text, trueSteps: [says('To {{ city }}')], falseSteps: [] },
  });
  const { page } = await openFlow([city, condition('city.length > 3')]);
  await page.getByRole('radio', { name: 'Graph' }).check();
  await page.getByRole('treeitem', { name: /^Say it/ }).click();
  await openData(page);
  await part(page, 'Output').getByText('To Hilo, Hawaii').waitFor();
  await page.getByRole('button', { name: 'city, set by Read city' }).focus();
  await page
    .getByRole('treeitem', { name: /^Read city/ })
    .getByText('sets city')
    .waitFor();
  await expectGoodScreen(page);
  await page.getByRole('treeitem', { name: /^Is it far/ }).click();
  await page.getByRole('textbox', { name: 'Condition' }).fill('city.length > 300');
  await page.getByRole('treeitem', { name: /^Say it/ }).click();
  await part(page, 'Output').getByText('Not reached').waitFor();
});

test('pointing at a step marks both ends of its variables, in the list, the graph and the texts, also with the keyboard', async () => {
  const { page, complaints } = await openFlow([
    city,
    prompt('Greet {{ city }}, {{ who }}'),
    says('{{ answer }}'),
  ]);
  const mark = (text: string) => page.locator('.step-mark').filter({ hasText: text });
  const item = (name: string) =>
    page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: new RegExp(`^${name}`) });
  await item('Ask').hover();
  await item('Read city').getByText('sets city').waitFor();
  await item('Say it').getByText('uses answer').waitFor();
  await expectGoodScreen(page);
  await page.mouse.move(0, 0);
  await mark('uses').waitFor({ state: 'detached' });

  await select(page, 'Ask');
  const editor = page.getByRole('textbox', { name: 'User prompt' });
  await editor.getByText('city').hover();
  await item('Read city').getByText('sets city').waitFor();
  await page.locator('.step-chip.pointed').getByText('city').waitFor();
  await editor.getByText('who').hover();
  await page
    .getByRole('button', { name: /^Input/ })
    .getByText('gives who')
    .waitFor();
  expect(await mark('sets city').count()).toBe(0);
  await item('Read city').hover();
  await editor.locator('.cm-pointed', { hasText: 'city' }).waitFor();
  await page.getByRole('button', { name: /^Input/ }).hover();
  await item('Ask').getByText('uses who').waitFor();
  await item('Read city').getByText('uses _record').waitFor();

  await page.mouse.move(0, 0);
  await editor.focus();
  await page.keyboard.press('Home');
  for (let n = 0; n < 'Greet {{ c'.length; n++) await page.keyboard.press('ArrowRight');
  await item('Read city').getByText('sets city').waitFor();
  await page.keyboard.press('Escape');
  await tabTo(page, 'button', /^city, set by/);
  await item('Read city').getByText('sets city').waitFor();

  await page.getByRole('radio', { name: 'Graph' }).check();
  await tabTo(page, 'treeitem', /^Read city/);
  await page.getByRole('treeitem', { name: /^Ask/ }).getByText('uses city').waitFor();
  await page.keyboard.press('ArrowDown');
  await page
    .getByRole('treeitem', { name: /^Say it/ })
    .getByText('uses answer')
    .waitFor();
  await page
    .getByRole('treeitem', { name: /^Read city/ })
    .getByText('sets city')
    .waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: /^Input/ }).click();
  await page.getByRole('dialog', { name: 'Sample record' }).waitFor();
  expect(complaints).toEqual([]);
});
