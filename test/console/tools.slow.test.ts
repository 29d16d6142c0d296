import { test as anyTest, expect } from 'vitest';
import { argumentFormSchema } from '../../console/src/screens/settings/tools/argument-schema.ts';
import { browserTest, expectGoodScreen, goTo, openConsole, tabTo } from '../support/console/console.ts';
import { createTool } from '../support/files/tools.ts';
import { expectStatus, publishedFlow } from '../support/flows/flows.ts';
import { eventually } from '../support/stack/eventually.ts';
import { newTenant } from '../support/stack/stack.ts';

const test = browserTest;

anyTest.each([
  ['plain members', { type: 'object', properties: { city: { type: 'string' } } }, true],
  ['no members', { type: 'object', properties: {} }, false],
  [
    'a list of texts',
    { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } },
    true,
  ],
  ['a reference that goes in a circle', { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }, false],
  ['anything', { type: 'object', properties: { a: true } }, false],
  ['one of some', { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } } }, false],
])('a form for arguments is made of plain schemas only: %s', (_, schema, hasForm) => {
  expect(argumentFormSchema(schema) !== undefined).toBe(hasForm);
});

test('with the keyboard alone: a tool is created, tried and deleted', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/settings/tools' });
  const press = async (name: string) => {
    await tabTo(page, 'button', name);
    await page.keyboard.press('Enter');
  };
  const fill = async (name: string, text: string) => {
    await tabTo(page, 'textbox', name);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type(text);
  };
  await page.getByText('No custom tools').waitFor();
  await page.getByRole('table', { name: 'Built-in tools' }).waitFor();
  await expectGoodScreen(page);
  await press('Create tool');
  await page.getByRole('alertdialog', { name: 'Create tool' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/settings/tools?new');
  await fill('Name', 'double');
  await fill('Description', 'Doubles a number');
  // What is typed stays when one changes the kind.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  // One letter is enough. On a busy machine, the next one may come late and begin a new search.
  await page.keyboard.press('C');
  await fill(
    'Parameters schema',
    '{"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}',
  );
  await fill('Script', 'return input.n * 2');
  await expectGoodScreen(page);
  await press('Create');
  await page.getByRole('heading', { name: 'double', level: 1 }).waitFor();
  const { body } = await tenant.call('GET', '/v1/tools');
  expect(body.data).toMatchObject([{ name: 'double', description: 'Doubles a number', toolType: 'custom' }]);
  await fill('N', '21');
  await press('Run');
  await page.getByRole('group', { name: 'Result' }).getByText('42').waitFor();
  await page.getByRole('table', { name: 'Direct runs' }).getByText('success').waitFor();
  await expectGoodScreen(page);
  await press('More actions');
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog', { name: 'Delete double?' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('No custom tools').waitFor();
  expect(complaints).toEqual([]);
});

test('a tool is changed by the form of its kind, and shows what it would send', async () => {
  const tenant = await newTenant();
  const name = 'أداة <b>طويلة</b> '.repeat(10).slice(0, 100).trim();
  const { id } = await createTool(tenant, {
    name,
    toolType: 'external',
    config: { url: 'https://example.com/?q={{ city }}' },
    parametersSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  });
  const viewport = { width: 390, height: 800 };
  const { page, complaints } = await openConsole({
    tenant,
    screen: '/settings/tools',
    viewport,
  });
  await page.getByRole('link', { name }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Edit tool' });
  await dialog.getByLabel('URL').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('URL').fill('https://example.org/?q={{ city }}');
  await expectGoodScreen(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await tenant.call('GET', `/v1/tools/${id}`)).body.config.url).toContain('example.org');
  await page.getByLabel('City').fill('Oslo');
  await page.getByRole('button', { name: 'Show what it would send' }).click();
  await page.getByRole('group', { name: 'Result' }).getByText('https://example.org/?q=Oslo').waitFor();
  await expectGoodScreen(page);
  // The browser notes the refused change.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

test('a built-in tool can be tried by whoever may run tools, and others are told why not', async () => {
  const { page, tenant } = await openConsole({ screen: '/settings/tools' });
  await page.getByRole('link', { name: 'Calculator' }).click();
  await page.getByLabel('Expression').fill('6 * 7');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('group', { name: 'Result' }).getByText('42').waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  const screen = '/settings/tools/builtin:calculator';
  const { page: reading } = await openConsole({ tenant, screen, permissions: ['TOOLS:READ'] });
  await reading.getByRole('button', { name: 'Run', exact: true }).click();
  await reading.getByRole('alert').filter({ hasText: 'TOOLS:EXECUTE' }).waitFor();
  await expectGoodScreen(reading);
});

test('a run of a tool is cancelled while it runs, and shows its arguments, its result and why it failed', async () => {
  const tenant = await newTenant();
  const wait = { type: 'wait-until', name: 'w', config: { delayMs: 9_000 } };
  const { id: flowId } = await publishedFlow(tenant, [wait]);
  const slow = await createTool(tenant, { name: 'slow', toolType: 'flow', config: { flowId } });
  const code = 'if (input.n < 0) throw new Error("below zero"); return { twice: input.n * 2 }';
  const quick = await createTool(tenant, { name: 'quick', config: { code } });
  const run = (id: string, n: number) =>
    tenant.call('POST', `/v1/tools/${id}/execute`, { body: { parameters: { n } } });
  for (const n of [21, -1]) await expectStatus(200, run(quick.id, n));
  const { page, complaints } = await openConsole({ tenant, screen: `/settings/tools/${slow.id}` });
  const answer = run(slow.id, 7);
  await eventually(async () =>
    expect((await tenant.call('GET', '/v1/runs?status=running')).body.data).toHaveLength(1),
  );
  await page.reload();
  const runs = page.getByRole('table', { name: 'Direct runs' });
  await runs.getByText('running').waitFor();
  await runs.getByRole('link').click();
  await page.getByRole('region', { name: 'Input' }).getByText('7').first().waitFor();
  await page.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel run' }).click();
  expect(await expectStatus(200, answer)).toMatchObject({ status: 'cancelled' });
  await page.getByText('What it had already sent may have taken effect').first().waitFor();
  await expectGoodScreen(page);
  await goTo(page, `/settings/tools/${quick.id}`);
  await runs.getByText('success').waitFor();
  await expectGoodScreen(page);
  for (const [status, shown] of [
    ['failed', 'below zero'],
    ['success', 'twice'],
  ] as const) {
    await goTo(page, `/settings/tools/${quick.id}`);
    await runs.getByRole('row').filter({ hasText: status }).getByRole('link').click();
    await page.getByText(shown).first().waitFor();
    await expectGoodScreen(page);
  }
  expect(complaints).toEqual([]);
});
