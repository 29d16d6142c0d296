import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, browserTest as test } from '../support/console/console.ts';
import { openFlowEditor } from '../support/console/flow-editor.ts';
import { expectStatus } from '../support/flows/flows.ts';

const prompt = (config: object, name = 'Ask') => ({
  type: 'prompt',
  name,
  config: { model: 'generic-openai/small', ...config },
});

const openPrompt = (flowSteps: object[], records = ['Hilo']) =>
  openFlowEditor(flowSteps, Object.fromEntries(records.map((name) => [name, `${name} city`])));

const openTest = (page: Page) => page.getByText('Preview and test').click();
const message = (page: Page, role: 'System' | 'User') =>
  page.getByRole('group', { name: `${role} message`, exact: true }).first();
const run = (page: Page) => page.getByRole('button', { name: 'Run prompt' }).click();
const output = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });

test('a prompt is previewed for the sample record after each edit, with its tokens, without a model', async () => {
  const config = {
    systemPrompt: 'You know {{ _record.name }}.',
    userPrompt: 'Describe {{ _record.metadata.city }}',
  };
  const { page, tenant, id, runs, complaints } = await openPrompt([prompt(config)]);
  await openTest(page);
  await message(page, 'System').getByText('You know Hilo.').waitFor();
  await message(page, 'User').getByText('Describe Hilo city').waitFor();
  await message(page, 'User').getByText('≈ 6 tokens, estimated').waitFor();
  await page.getByText('Cost unknown: no price for generic-openai/small').waitFor();
  await page.getByRole('textbox', { name: 'User prompt' }).fill('Where is {{ _record.metadata.city }}?');
  await message(page, 'User').getByText('Where is Hilo city?').waitFor();
  expect(runs.join()).not.toContain('"prompt"');
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
  const { flowSteps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${id}`));
  expect(flowSteps[0].config).toMatchObject({
    ...config,
    userPrompt: 'Where is {{ _record.metadata.city }}?',
  });
  expect(complaints).toEqual([]);
});

test('two models answer side by side, each with its time and tokens', async () => {
  const { page } = await openPrompt([prompt({ userPrompt: 'Greet {{ _record.name }}' })]);
  await openTest(page);
  await page.getByRole('button', { name: 'Compare with another model' }).click();
  await page.getByRole('combobox', { name: 'Second model' }).fill('generic-openai/refusing');
  await page.getByText('2 runs').waitFor();
  await run(page);
  const first = output(page, 'generic-openai/small');
  await first.getByText('You said: Greet Hilo').waitFor();
  await first.getByText(/tokens/).waitFor();
  await output(page, 'generic-openai/refusing').getByText('The prompt was refused').waitFor();
  await expectGoodScreen(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectGoodScreen(page);
});

test('a prompt runs on several records; a price that is known is said before', async () => {
  const { page, runs } = await openPrompt(
    [prompt({ userPrompt: 'Greet {{ _record.name }}' })],
    ['One', 'Two', 'Three', 'Four'],
  );
  await openTest(page);
  await message(page, 'User').getByText('Greet Four').waitFor();
  await page.getByLabel('Run on').selectOption('3 records of place');
  await page.getByText('3 runs').waitFor();
  await run(page);
  for (const name of ['Four', 'Three', 'Two'])
    await output(page, `${name}, generic-openai/small`).getByText(`You said: Greet ${name}`).waitFor();
  await page.getByText('3 of 3').waitFor();
  await expectGoodScreen(page);
  expect(runs.filter((body) => body.includes('"prompt"'))).toHaveLength(3);
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('openai/gpt-5-mini');
  await page.getByText(/3 runs\. About \$[\d.]+ for the input, and \$2\.00 per million/).waitFor();
});

test('runs are stopped', async () => {
  const { page } = await openPrompt([prompt({ model: 'generic-openai/hanging', userPrompt: 'Greet' })]);
  await openTest(page);
  await message(page, 'User').getByText('Greet').first().waitFor();
  await run(page);
  const result = output(page, 'generic-openai/hanging');
  await result.getByText('running').waitFor();
  const cancelled = page.waitForResponse(/\/v1\/runs\/exec_\w+\/cancel$/);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  expect((await cancelled).status()).toBe(200);
  await result.getByText('stopped').waitFor();
});

test('a prompt after another one is previewed once that has run', async () => {
  const first = prompt({ userPrompt: 'Name a colour', outputVariable: 'colour' }, 'First');
  const { page } = await openPrompt([first, prompt({ userPrompt: 'Paint it: {{ colour }}' }, 'Second')]);
  await page.getByRole('button', { name: /^Second/ }).click();
  await openTest(page);
  await page.getByText('Run them once to see it filled in').waitFor();
  await page.getByRole('button', { name: 'Run up to here' }).click();
  await message(page, 'User').getByText('Paint it: You said: Name a colour').waitFor();
  await run(page);
  await output(page, 'generic-openai/small')
    .getByText('You said: Paint it: You said: Name a colour')
    .waitFor();
});
