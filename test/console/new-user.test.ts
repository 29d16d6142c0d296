import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { expectGoodScreen, openConsole, browserTest as test } from '../support/console/console.ts';

test('a new user uploads the airports, builds a flow, runs it on a state, mends it and runs the failed ones again', async () => {
  const { page, complaints } = await openConsole();
  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });

  await link('Records').click();
  await link('Import').click();
  await page.locator('input[type=file]').setInputFiles('examples/airports.csv');
  await page.getByLabel('Name', { exact: true }).selectOption('iata');
  await page.getByLabel('Type', { exact: true }).selectOption('state');
  await button(/^Import about/).click();
  await page.getByText(/3,376/).first().waitFor();
  await link('Show records').click();
  await page.getByRole('link', { name: 'HI', exact: true }).waitFor();

  await link('Flows').click();
  await button('Create flow').first().click();
  await page.getByLabel('Name', { exact: true }).fill('Where is it?');
  await button('Create').click();
  const script = page.getByRole('textbox', { name: 'Script' });
  /** Where text replaces coloured text, Chromium adds a style of its own, which the policy refuses. */
  const write = async (editor: Locator, text: string) => {
    await editor.press('ControlOrMeta+a');
    await editor.press('Delete');
    await editor.pressSequentially(text);
    await editor.press('Escape');
  };
  const add = async (what: string) => {
    await button('Add step').click();
    await button(what).click();
    await page.getByRole('heading', { name: what, level: 2 }).waitFor();
  };
  await add('JavaScript');
  await write(
    script,
    'if (_record.metadata.city === "Honolulu") throw new Error("Too sunny"); return "north"',
  );
  await page.getByLabel('Output variable').fill('half');
  await add('Template');
  await page
    .getByRole('textbox', { name: 'Template' })
    .fill('{{ _record.metadata.name }} lies in the {{ half }}');
  await page.getByLabel('Output variable').fill('sentence');
  await add('Set variable');
  await page
    .getByLabel(/^(Variable name|Name of the variable|Variable|Output variable)/)
    .first()
    .fill('done');
  await write(page.getByRole('textbox', { name: 'Value' }), '"{{ sentence }}!"');
  await page.getByText(/^\d+ errors?/).waitFor({ state: 'detached' });
  await button('Save and publish').click();
  await page.getByText('Published. New runs use these steps').waitFor();
  await expectGoodScreen(page);

  await link('Run on records').click();
  await page.getByLabel('Record type').selectOption('HI');
  await button(/^Run on 16 records/).click();
  await page.getByText('16 of 16', { exact: true }).waitFor();
  await page.getByText('1 × JavaScript').click();
  await page.getByText('Too sunny').first().waitFor();
  await expectGoodScreen(page);

  const batch = page.url();
  await link('Where is it?').first().click();
  await page
    .getByRole('list', { name: 'Steps' })
    .getByRole('button', { name: /^JavaScript/ })
    .click();
  await write(script, 'return "north"');
  await button('Save and publish').click();
  await page.getByText('Published. New runs use these steps').waitFor();
  await page.goto(batch);
  await button('Run them with the published version').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Run' }).click();
  await page.getByText('1 of 1', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
