import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  expectGoodScreen,
  goTo,
  openConsole,
  tabTo,
  browserTest as test,
} from '../support/console/console.ts';
import { applyIn, exportWorkspace, fillWorkspace, succeeding } from '../support/files/workspaces.ts';
import { newTenant } from '../support/stack/stack.ts';

const flow = (name: string, value = 'x') => ({
  name,
  flowSteps: [{ type: 'set-variable', name: 'Set', config: { variableName: 'a', value } }],
});
const screen = '/settings/workspace';
const documentField = (page: Page) => page.getByRole('textbox', { name: 'Document' });
const planOf = async (page: Page, document: object) => {
  await documentField(page).fill(JSON.stringify(document));
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
};
/** As somebody drags a file from the desktop: a page itself cannot make such an event. */
async function drop(page: Page, target: Locator, path: string) {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  const session = await page.context().newCDPSession(page);
  const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
  }
  await session.detach();
}

async function typeInPalette(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search or run a command' }).fill(text);
}

test('what is downloaded from one workspace is planned and applied in another, with its secrets once', async () => {
  const [from, to] = [await newTenant(), await newTenant()];
  await fillWorkspace(from);
  const { page } = await openConsole({ tenant: from, screen });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('workspace.yaml');
  const exported = await readFile(await download.path(), 'utf8');
  const document = exported
    // No document has records.
    .replace(/\n *recordIds:\n *- airport.*/, '')
    .replace(/emails:\n +- ada@example.com/, 'webhookUrl: https://hooks.example.com/b');
  expect(document).toMatch(/webhookUrl/);
  const other = await openConsole({ tenant: to, screen, viewport: { width: 380, height: 800 } });
  const [chooser] = await Promise.all([
    other.page.waitForEvent('filechooser'),
    other.page.getByRole('button', { name: 'Choose file' }).click(),
  ]);
  const buffer = Buffer.from(document);
  await chooser.setFiles({ name: 'workspace.yaml', mimeType: 'application/yaml', buffer });
  await expect.poll(() => documentField(other.page).inputValue()).toBe(document);
  await other.page.getByRole('button', { name: 'Plan', exact: true }).click();
  await other.page.getByText(/^\d+ to create$/).waitFor();
  const heading = other.page.getByRole('heading', { name: 'What would change' });
  expect((await heading.boundingBox())?.y).toBeLessThan(200);
  await other.page.getByText('The secret DOCS has no value here').waitFor();
  await other.page.getByText('Outer', { exact: true }).click();
  await other.page.getByText('flowSteps').first().waitFor();
  await expectGoodScreen(other.page);
  await other.page.getByRole('button', { name: /^Apply \d+ changes$/ }).click();
  await other.page.getByRole('heading', { name: /^\d+ changes applied$/ }).waitFor();
  const secret = other.page.getByRole('group', { name: /notify\.secret$/ });
  expect(await secret.textContent()).toMatch(/^whsec_/);
  await expectGoodScreen(other.page);
  await goTo(other.page, '/settings/usage');
  const question = other.page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByText('The new secrets are not shown again.').waitFor();
  await question.getByRole('button', { name: 'Stay' }).click();
  expect(await other.page.getByRole('button', { name: 'Import another document' }).count()).toBe(0);
  await other.page.getByRole('button', { name: 'I have stored them' }).click();
  await secret.waitFor({ state: 'detached' });
  await other.page.getByRole('button', { name: 'Import another document' }).click();
  await documentField(other.page).waitFor();
  const [one, same] = [await exportWorkspace(from), await exportWorkspace(to)];
  expect(same.flows).toEqual(one.flows);
  expect(same.agents).toEqual(one.agents);
  expect(other.complaints).toEqual([]);
});

test('an edited text is shown line by line, and what is out of date is planned again, by the keyboard', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { flows: [flow('Greet', 'one\ntwo\nthree')] } });
  const { page } = await openConsole({ tenant, screen });
  await documentField(page).fill(JSON.stringify({ flows: [flow('Greet', 'one\n2\nthree')] }));
  await tabTo(page, 'button', 'Plan');
  await page.keyboard.press('Enter');
  await page.getByText('flowSteps.0.config.value changed').waitFor();
  const lines = page.locator('.difference pre > *');
  const shown = await lines.evaluateAll((all) =>
    all.map(({ tagName, textContent }) => [tagName, textContent]),
  );
  expect(shown).toEqual([
    ['SPAN', 'one'],
    ['DEL', 'two'],
    ['INS', '2'],
    ['SPAN', 'three'],
  ]);
  const heading = page.getByRole('heading', { name: 'What would change' });
  expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
  const [{ id }] = (await succeeding(tenant, 'GET', '/v1/flows')).data;
  await succeeding(tenant, 'PUT', `/v1/flows/${id}`, { description: 'Changed meanwhile' });
  await tabTo(page, 'button', 'Apply 1 change');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'The workspace has changed since this plan' }).waitFor();
  expect((await exportWorkspace(tenant)).flows[0].description).toBe('Changed meanwhile');
  await page.getByRole('button', { name: 'Plan again' }).click();
  await page.getByText('description removed').waitFor();
  await page.getByLabel('Publish flows and agents').check();
  await page.getByText('The document or an option has changed since this plan').waitFor();
  expect(await page.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Plan again' }).click();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByRole('heading', { name: '1 change applied' }).waitFor();
  expect((await exportWorkspace(tenant)).flows).toEqual([flow('Greet', 'one\n2\nthree')]);
  expect((await succeeding(tenant, 'GET', `/v1/flows/${id}`)).publishedVersionId).not.toBeNull();
});

test('what prune deletes is named and counted before it is gone', async () => {
  const tenant = await newTenant();
  await applyIn(tenant, { document: { flows: [flow('Kept'), flow('Old'), flow('Older')] } });
  const { page, complaints } = await openConsole({ tenant, screen });
  await page.getByLabel('Delete what the document does not name').check();
  await planOf(page, { flows: [flow('Kept', 'y')] });
  await page.getByText('2 to delete').waitFor();
  await page.getByText('Deletes 2 resources flow “Old” and flow “Older”').waitFor();
  await page.getByRole('button', { name: 'Apply 3 changes' }).click();
  const question = page.getByRole('alertdialog', { name: 'Apply, and delete 2 resources?' });
  await question.getByText('flow “Old” and flow “Older”').waitFor();
  await expectGoodScreen(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await exportWorkspace(tenant)).flows).toHaveLength(3);
  await page.getByRole('button', { name: 'Apply 3 changes' }).click();
  await question.getByRole('button', { name: 'Apply and delete 2' }).click();
  await page.getByRole('heading', { name: '3 changes applied' }).waitFor();
  expect((await exportWorkspace(tenant)).flows).toEqual([flow('Kept', 'y')]);
  expect(complaints).toEqual([]);
});

test('errors have their places, and nothing can be applied; what is no document is refused', async () => {
  const { page } = await openConsole({ screen });
  const runs = (name: string, flowId: string) => ({
    name,
    flowSteps: [{ type: 'flow', name: 'Run', config: { flowId } }],
  });
  await planOf(page, { flows: [flow('Fine'), runs('A', 'B'), runs('B', 'A')] });
  const errors = page.getByRole('alert');
  await errors.getByText('The document has 2 errors, so nothing can be applied').waitFor();
  await errors.getByText('A, flows.1.flowSteps.0.config.flowId: The flow would run itself').waitFor();
  expect(await page.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
  await expectGoodScreen(page);
  const path = join(await mkdtemp(join(tmpdir(), 'workspace-')), 'workspace.yaml');
  await writeFile(path, 'flows: [');
  await drop(page, page.locator('.workspace-drop'), path);
  await expect.poll(() => documentField(page).inputValue()).toBe('flows: [');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await errors.getByText('The text is not valid YAML').waitFor();
});

test('whoever may read none of its kinds has no entry, and who may only read is told what an apply takes', async () => {
  const tenant = await newTenant();
  const none = await openConsole({
    tenant,
    permissions: ['CONVERSATIONS:READ'],
    screen: '/settings/api-keys',
  });
  await none.page.getByRole('link', { name: 'Usage' }).waitFor();
  expect(await none.page.getByRole('link', { name: 'Workspace' }).count()).toBe(0);
  await typeInPalette(none.page, 'settings');
  await none.page.getByRole('menuitem', { name: 'Usage' }).waitFor();
  expect(await none.page.getByRole('menuitem', { name: 'Workspace' }).count()).toBe(0);

  const reads = await openConsole({ tenant, permissions: ['FLOWS:READ'], screen: '/settings/api-keys' });
  await typeInPalette(reads.page, 'workspace');
  await reads.page.getByRole('menuitem', { name: 'Workspace' }).click();
  await planOf(reads.page, { flows: [flow('New')] });
  await reads.page.getByRole('button', { name: 'Apply 1 change' }).click();
  await reads.page.getByRole('alert').filter({ hasText: 'FLOWS:WRITE' }).waitFor();
  expect((await exportWorkspace(tenant)).flows).toEqual([]);
});
