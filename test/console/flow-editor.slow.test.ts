import { test as anyTest, expect } from 'vitest';
import { stepSchemas } from '../../console/plugins/api-document.ts';
import { initialEdits, reduceEdits } from '../../console/src/screens/flows/editor/edits.ts';
import { groupFindings } from '../../console/src/screens/flows/editor/findings.ts';
import { stepOutputNames } from '../../console/src/screens/flows/steps/scopes.ts';
import { labelledStepTypes } from '../../console/src/screens/flows/steps/step-types.ts';
import { copyStep, moved } from '../../console/src/screens/flows/steps/steps.ts';
import { browserTest, expectGoodScreen, goTo, openConsole, tabTo } from '../support/console/console.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import { newTenant } from '../support/stack/stack.ts';

const test = browserTest;

const step = (id: string, config: object = {}) => ({ id, type: 'template', name: id, config: { ...config } });

anyTest('the menu of steps has every type of the API', () => {
  const { $defs = {} } = stepSchemas() as {
    $defs?: Record<string, { properties?: { type?: { const?: string } } }>;
  };
  const types = Object.entries($defs)
    .filter(([name]) => name.endsWith('Step'))
    .map(([, { properties }]) => properties?.type?.const);
  expect(types.toSorted()).toEqual(labelledStepTypes.toSorted());
});

anyTest('edits are taken back and done again; what is typed into one field is one edit', () => {
  const [a, b] = [step('a'), step('b')];
  let state = initialEdits([a]);
  state = reduceEdits(state, { type: 'set', steps: [a, b] });
  state = reduceEdits(state, { type: 'set', steps: [a, step('x')], what: 'name' });
  state = reduceEdits(state, { type: 'set', steps: [a, step('xy')], what: 'name' });
  state = reduceEdits(state, { type: 'undo' });
  expect(state.steps).toEqual([a, b]);
  expect(reduceEdits(state, { type: 'redo' }).steps).toEqual([a, step('xy')]);
  expect(reduceEdits(reduceEdits(state, { type: 'undo' }), { type: 'undo' }).steps).toEqual([a]);
});

anyTest('a removed step comes back once, to the list it was in, and what was edited since stays', () => {
  const [inner, removed] = [step('inner'), step('removed')];
  const condition = { ...step('condition', { trueSteps: [inner] }), type: 'conditional' };
  let state = initialEdits([{ ...condition, config: { trueSteps: [inner, removed] } }, step('b')]);
  state = reduceEdits(state, { type: 'set', steps: [condition, step('b')] });
  state = reduceEdits(state, {
    type: 'set',
    steps: [step('new'), condition, { ...step('b'), name: 'edited' }],
  });
  const within = { holderId: 'condition', name: 'trueSteps' };
  const bringBack = { type: 'bring-back', removed, at: 1, within } as const;
  state = reduceEdits(state, bringBack);
  expect(state.steps).toEqual([
    step('new'),
    { ...condition, config: { trueSteps: [inner, removed] } },
    { ...step('b'), name: 'edited' },
  ]);
  expect(reduceEdits(state, bringBack)).toBe(state);
  expect(reduceEdits(reduceEdits(state, { type: 'undo' }), { type: 'undo' }).steps).toEqual([
    condition,
    step('b'),
  ]);
});

anyTest('the copy of a condition shares no id with it', () => {
  const copy = copyStep(step('condition', { trueSteps: [step('inner')], condition: 'true' }));
  expect(copy.id).not.toBe('condition');
  expect(copy.config?.trueSteps).toEqual([{ ...step('inner'), id: expect.not.stringMatching('inner') }]);
  expect(copy.config?.condition).toBe('true');
});

anyTest('a step moves within the list only, and names its outputs', () => {
  const steps = [step('a', { outputVariable: 'x' }), step('b'), step('c', { outputVariable: '' })];
  expect(moved(steps, 0, 2).map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  expect(moved(steps, 0, -1)).toEqual(steps);
  expect(moved(steps, 0, 3)).toEqual(steps);
  expect(stepOutputNames(steps)).toEqual(['x']);
});

anyTest('a finding belongs to its step, and to the condition around it', () => {
  const nested = { path: 'flowSteps.1.config.trueSteps.0.config.template', message: 'Empty' };
  const { problems, stepsWith, general } = groupFindings({
    errors: [nested],
    warnings: [{ path: '', message: 'Slow' }],
  });
  expect(problems[nested.path]).toBe('Empty');
  expect([...stepsWith]).toEqual(['flowSteps.1', 'flowSteps.1.config.trueSteps.0']);
  expect(general).toEqual(['Slow']);
});

test('a flow is made, edited, reordered, saved and published with the keyboard alone', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/flows' });
  const press = async (role: 'button' | 'textbox', name: string | RegExp) => {
    await tabTo(page, role, name);
    if (role === 'button') await page.keyboard.press('Enter');
  };
  await page.getByText('No flows yet').waitFor();
  await press('button', 'Create flow');
  await press('textbox', 'Name');
  await page.keyboard.type('مطارات ✈');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'مطارات' }).waitFor();
  for (const what of ['Template', 'JavaScript']) {
    await press('button', 'Add step');
    await page.getByRole('dialog', { name: 'Add step' }).waitFor();
    await press('button', what);
  }
  const names = () => page.getByRole('list', { name: 'Steps' }).getByRole('button').allInnerTexts();
  await press('button', /^JavaScript/);
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(async () => (await names())[0]).toContain('JavaScript');
  await tabTo(page, 'textbox', 'Script');
  await page.keyboard.type('return 42');
  await page.keyboard.press('Escape');
  await press('textbox', 'Output variable');
  await page.keyboard.type('answer');
  await press('button', /^Template/);
  await tabTo(page, 'textbox', 'Template');
  await page.keyboard.type('It is {{ answer');
  await page.getByText(/^\d+ errors?/).waitFor();
  await page.keyboard.type(' }}');
  await page.keyboard.press('Escape');
  await page.getByText(/^\d+ errors?/).waitFor({ state: 'detached' });
  await expectGoodScreen(page);
  await press('button', 'Save and publish');
  await page.getByText('Published. New runs use these steps').waitFor();
  const { body } = await tenant.call('GET', '/v1/flows');
  const { body: flow } = await tenant.call('GET', `/v1/flows/${body.data[0].id}`);
  expect(flow.flowSteps).toMatchObject([
    { type: 'transform-data', config: { script: 'return 42', outputVariable: 'answer' } },
    { type: 'template', config: { template: 'It is {{ answer }}' } },
  ]);
  expect(complaints).toEqual([]);
});

test('steps are dragged, removed and brought back; leaving asks about edits that are not saved', async () => {
  const { page, tenant } = await openConsole();
  const steps = ['First', 'Second', 'Third'].map((name) => ({
    type: 'template',
    name,
    config: { template: name },
  }));
  const { body } = await tenant.call('POST', '/v1/flows', { body: { name: 'Drag', flowSteps: steps } });
  await goTo(page, `/flows/${body.id}`);
  const list = page.getByRole('list', { name: 'Steps' });
  const names = async () =>
    (await list.getByRole('button').allInnerTexts()).map((text) => text.split('\n')[0]);
  await list.getByRole('button', { name: /^Third/ }).dragTo(list.getByRole('button', { name: /^First/ }));
  await expect.poll(names).toEqual(['Third', 'First', 'Second']);
  await list.getByRole('button', { name: /^First/ }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(names).toEqual(['Third', 'Second']);
  await page
    .getByRole('region', { name: /notice/i })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(names).toEqual(['Third', 'First', 'Second']);
  await page.getByRole('link', { name: 'Home' }).click();
  await page
    .getByRole('alertdialog', { name: 'Leave without saving?' })
    .getByRole('button', { name: 'Stay' })
    .click();
  // An address that somebody types is a way to leave too.
  const address = page.url();
  await goTo(page, '/runs');
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect.poll(() => page.url()).toBe(address);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});

test('steps that are not checked yet, or cannot be checked, never count as steps without findings', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const { page } = await openConsole({ tenant });
  const answer = Promise.withResolvers<void>();
  await page.route('**/v1/public/flows/validate', async (route) => {
    await answer.promise;
    await route.fulfill({ status: 503, json: { error: 'Busy' } });
  });
  await goTo(page, `/flows/${id}`);
  const status = page.getByRole('main').getByRole('status');
  await status.filter({ hasText: 'Checking …' }).waitFor();
  answer.resolve();
  await status.filter({ hasText: 'Could not be checked: The service is busy' }).waitFor();
  await expectGoodScreen(page);
  await page.unroute('**/v1/public/flows/validate');
  await page.getByRole('button', { name: 'Check again' }).click();
  await status.filter({ hasText: 'No issues' }).waitFor();
});

test('a field with JSON follows undo and redo', async () => {
  const tenant = await newTenant();
  const step = { type: 'set-variable', name: 'Keep', config: { variableName: 'kept', value: { a: 1 } } };
  const { id } = await createFlow(tenant, [step]);
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  const field = page.getByRole('textbox', { name: 'Value' });
  await field.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('{"b": [2]}');
  await page.getByRole('button', { name: 'Undo' }).click();
  await field.getByText('"a": 1').waitFor();
  await page.getByRole('button', { name: 'Redo' }).click();
  await field.getByText('2').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
  const { body } = await tenant.call('GET', `/v1/flows/${id}`);
  expect(body.flowSteps[0].config.value).toEqual({ b: [2] });
});

test('nothing can be published without a change; the runs of the flow are a tab away', async () => {
  const tenant = await newTenant();
  const { id } = await publishedFlow(tenant, [template('hello')]);
  const other = await publishedFlow(tenant, [template('bye')]);
  for (const flow of [{ id }, { id: other.id }])
    await expectStatus(
      200,
      tenant.call('POST', '/v1/dispatch', { body: { flow, options: { streamResponse: false } } }),
    );
  const { page } = await openConsole({ tenant, screen: `/flows/${id}` });
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await page.getByText('Version 1 is published').waitFor();
  expect(await publish.isDisabled()).toBe(true);
  await page.getByLabel('Name', { exact: true }).fill('Say hello');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
  await expect.poll(() => publish.isEnabled()).toBe(true);
  await publish.click();
  await page.getByText('Version 2 is published').waitFor();
  expect(await publish.isDisabled()).toBe(true);
  await page
    .getByRole('navigation', { name: 'Flow', exact: true })
    .getByRole('link', { name: 'Runs' })
    .click();
  const runs = page.getByRole('grid', { name: 'Runs' });
  await runs.getByText('A flow').first().waitFor();
  expect(await runs.getByRole('row').count()).toBe(2);
});

test('on a phone, what one does with the steps is one row; undo, the versions and the view are in its menu', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant, [
    { type: 'template', name: 'Greet', config: { template: 'hello' } },
  ]);
  const viewport = { width: 390, height: 844 };
  const { page } = await openConsole({ tenant, screen: `/flows/${id}`, viewport });
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Welcome');
  const buttons = ['More for the steps', 'Save and publish', 'Save'].map((label) =>
    page.getByRole('button', { name: label, exact: true }),
  );
  const middles = await Promise.all(
    buttons.map(async (button) => {
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      return Math.round(y + height / 2);
    }),
  );
  expect(new Set(middles).size).toBe(1);
  await expectGoodScreen(page);
  const openMenu = () => page.getByRole('button', { name: 'More for the steps' }).click();
  await openMenu();
  expect(await page.getByRole('menuitem', { name: 'Redo' }).getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('menuitem', { name: 'Undo' }).click();
  await expect.poll(() => name.inputValue()).toBe('Greet');
  await openMenu();
  await page.getByRole('menuitemradio', { name: 'Graph' }).click();
  await page.getByRole('button', { name: 'Zoom in' }).waitFor();
  await openMenu();
  await page.getByRole('menuitemradio', { name: 'List' }).click();
  await openMenu();
  await page.getByRole('menuitem', { name: 'Not published' }).click();
  await page.waitForURL(/\/versions$/);
});

test('a flow runs, is tried and is edited for a type that only older records have', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  for (const type of ['rare', 'frequent'])
    await tenant.call('POST', '/v1/records', {
      body: { type, name: `A ${type} one`, metadata: { [type]: 1 } },
    });
  const { page } = await openConsole({ tenant });
  // As if there were 10,000 newer records.
  await page.route('**/v1/records/types', async (route) => {
    const answer = await (await route.fetch()).json();
    const types = answer.types.filter(({ type }: { type: string }) => type === 'frequent');
    await route.fulfill({ json: { ...answer, types, truncated: true, recordsRead: 10_000 } });
  });
  const use = async () => {
    await page.getByText('the newest 10,000 records').waitFor();
    await page.getByLabel('Other type').fill('rare');
    await page.getByRole('button', { name: 'Use type' }).click();
  };
  await goTo(page, `/flows/${id}/run`);
  await use();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Run on 1 record' }).waitFor();
  await expect.poll(() => page.getByLabel('Record type').inputValue()).toBe('rare');
  await goTo(page, `/flows/${id}/try`);
  await use();
  await expect.poll(() => page.getByLabel('Record', { exact: true }).innerText()).toBe('A rare one');
  await goTo(page, `/flows/${id}`);
  await page.getByText('Input and output on a sample record').click();
  await page.getByRole('button', { name: 'Change sample record' }).click();
  await use();
  await expect
    .poll(() => page.getByRole('dialog').getByLabel('Type', { exact: true }).inputValue())
    .toBe('rare');
});

test('whoever presses twice saves and publishes once', async () => {
  const { page, tenant } = await openConsole();
  const { id } = await createFlow(tenant);
  await goTo(page, `/flows/${id}`);
  await page
    .getByRole('region', { name: /^Step / })
    .getByRole('textbox', { name: 'Name' })
    .fill('Renamed');
  const sent: string[] = [];
  await page.route(`**/v1/flows/${id}**`, async (route) => {
    const method = route.request().method();
    if (method !== 'GET') sent.push(method);
    await new Promise((done) => setTimeout(done, 300));
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save and publish' }).dblclick();
  await page.getByText('Published. New runs use these steps').waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
  expect(sent).toEqual(['PUT', 'POST']);
});

test('what a notice takes back in a branch leaves the edits since; another screen has no such notice', async () => {
  const { page, tenant } = await openConsole();
  const condition = { condition: 'true', trueSteps: [template('inner')], falseSteps: [] };
  const { id } = await createFlow(tenant, [
    { type: 'conditional', name: 'Choose', config: condition },
    template('later'),
  ]);
  await goTo(page, `/flows/${id}`);
  const branch = page.getByRole('group', { name: 'If it is true' });
  const removeInner = () => branch.getByRole('button', { name: 'Remove' }).click();
  await removeInner();
  await page.getByRole('button', { name: /^later/ }).click();
  await page
    .getByRole('region', { name: 'Step later' })
    .getByRole('textbox', { name: 'Name' })
    .fill('edited');
  const undo = page.getByRole('alertdialog').getByRole('button', { name: 'Undo' });
  await undo.click();
  await page.getByRole('button', { name: /^edited/ }).waitFor();
  await page.getByRole('button', { name: /^Choose/ }).click();
  await branch.getByRole('button', { name: /^inner/ }).waitFor();
  await removeInner();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Draft saved').waitFor();
  await undo.waitFor();
  await page.getByRole('link', { name: 'Versions' }).click();
  await undo.waitFor({ state: 'detached' });
});

test('the keyboard goes on from a button that its own press has made idle', async () => {
  const { page, tenant } = await openConsole();
  const { id } = await createFlow(tenant);
  await goTo(page, `/flows/${id}`);
  await page
    .getByRole('region', { name: /^Step / })
    .getByRole('textbox', { name: 'Name' })
    .fill('Renamed');
  for (const [name, said] of [
    ['Save', 'Draft saved'],
    ['Undo', 'Redo'],
  ] as const) {
    const button = page.getByRole('button', { name, exact: true }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText(said).first().waitFor();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
  }
  await expectGoodScreen(page);
});

test('deleting a flow asks nothing about edits of it', async () => {
  const { page, tenant } = await openConsole();
  const { id } = await createFlow(tenant);
  await goTo(page, `/flows/${id}`);
  await page
    .getByRole('region', { name: /^Step / })
    .getByRole('textbox', { name: 'Name' })
    .fill('Renamed');
  await page.getByRole('button', { name: 'Save', exact: true, disabled: false }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No flows yet').waitFor();
  expect(await page.getByRole('alertdialog', { name: /^Leave/ }).count()).toBe(0);
});
