import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { browserTest, expectGoodScreen, goTo, openConsole, tabTo } from '../support/console/console.ts';
import { createFlow, template } from '../support/flows/flows.ts';
import { createSchedule, scheduleSurface } from '../support/flows/schedules.ts';
import { newTenant, stack } from '../support/stack/stack.ts';
import { addItem, createSurface, greetingProduct } from '../support/surfaces/products.ts';

const test = browserTest;

const outputOf = async (program: string, options: string[]) =>
  (await promisify(execFile)(program, options, { timeout: 60_000 })).stdout;

test('makes a product with a capability, an api surface with an item, and a key that runs it', async () => {
  const tenant = await newTenant();
  await createFlow(tenant, [template('Hello {{ person }}', 'greeting')], 'Greeting');
  const { page, complaints } = await openConsole({ tenant, screen: '/products' });
  await page.getByText('No products').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Create product' }).click();
  await page.getByRole('alertdialog').getByRole('textbox', { name: 'Name' }).fill('Airport desk');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const stored = page.getByRole('button', { name: 'I stored it' });
  const heading = page.getByRole('heading', { name: 'Airport desk', level: 1 });
  await stored.or(heading).first().waitFor();
  if (await stored.isVisible()) await stored.click();
  await heading.waitFor();

  await page.getByRole('button', { name: 'Add capability' }).click();
  await page.getByRole('textbox', { name: 'Capability name' }).fill('Greet');
  await page.getByLabel('Flow', { exact: true }).selectOption({ label: 'Greeting' });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('cell').getByText('Greet', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add surface' }).click();
  await page.getByRole('alertdialog').getByRole('textbox', { name: 'Name' }).fill('Public API');
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'Public API', level: 1 }).waitFor();

  await page.getByRole('button', { name: 'Add item' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('POST /run/greet').waitFor();
  await tabTo(page, 'button', 'Create key');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').getByRole('textbox', { name: 'Name' }).fill('Shop');
  await page.keyboard.press('Enter');
  const value = await page.getByRole('group', { name: 'The value' }).innerText();
  await page.getByRole('button', { name: 'I stored it' }).click();
  await expectGoodScreen(page);
  const snippet = await page.getByRole('group', { name: 'curl' }).innerText();
  const address = /curl (\S+)/.exec(snippet)?.[1] ?? '';
  const answer = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${value.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ person: 'Ada' }),
  });
  expect(answer.status, await answer.text()).toBe(200);
  expect(address.startsWith(stack().url)).toBe(true);
  expect(complaints).toEqual([]);
});

test('pauses a surface, switches an item off, and takes both back', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id, { status: 'active' });
  await addItem(tenant, { productId: product.id, id: surface.id }, { capabilityId: capability.id });
  const path = `/v1/products/${product.id}/surfaces/${surface.id}`;
  const { page } = await openConsole({
    tenant,
    screen: `/products/${product.id}/surfaces/${surface.id}`,
  });
  await page.setViewportSize({ width: 390, height: 800 });
  const known = async () => (await tenant.call('GET', path)).body;
  const offer = page.getByRole('checkbox', { name: 'Offer Greet' });
  await offer.press('Space');
  await expect.poll(async () => (await known()).items[0].enabled).toBe(false);
  await expect.poll(() => offer.isChecked()).toBe(false);
  expect(await offer.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Activate' }).waitFor();
  expect((await known()).status).toBe('paused');
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect((await known()).status).toBe('active');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const status = page.getByRole('alertdialog').getByLabel('Status');
  await status.waitFor();
  // A change cannot take the status away.
  expect(await status.locator('option').allInnerTexts()).not.toContain('Not set');
  await status.selectOption('paused');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Activate' }).waitFor();
});

test('a change of one member leaves the others as somebody else has set them meanwhile', async () => {
  const tenant = await newTenant();
  const { product } = await greetingProduct(tenant);
  const { id } = await createSurface(tenant, product.id, { status: 'active' });
  const screen = `/products/${product.id}/surfaces/${id}`;
  const path = `/v1${screen}`;
  const { page } = await openConsole({ tenant, screen });
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await tenant.call('PUT', path, { body: { status: 'paused' } });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();
  expect((await tenant.call('GET', path)).body).toMatchObject({ name: 'Renamed', status: 'paused' });
});

test('shows the next times of a schedule as the service computes them, pauses, resumes and runs it', async () => {
  const tenant = await newTenant();
  const { product, surface, flowId, path } = await scheduleSurface(tenant, { status: 'active' });
  const schedule = await createSchedule(tenant, path, {
    flowId,
    triggerType: 'recurring',
    cron: '30 7 * * MON-FRI',
    timezone: 'Europe/Berlin',
  });
  const { page, complaints } = await openConsole({
    tenant,
    screen: `/products/${product.id}/surfaces/${surface.id}`,
  });
  await page.getByText('The next 5 times, on your clock').click();
  const times = page.getByRole('listitem').locator('time');
  expect(await times.first().getAttribute('datetime')).toBe(schedule.nextRunAt);
  expect(await times.count()).toBe(5);
  await expectGoodScreen(page);
  const enabled = async () => (await tenant.call('GET', `${path}/${schedule.id}`)).body.enabled;
  const card = page.getByRole('article');
  await card.getByRole('button', { name: 'Pause' }).click();
  await card.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await enabled()).toBe(false);
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await enabled()).toBe(true);
  await card.getByRole('button', { name: 'Run now' }).click();
  await card.getByText('Runs', { exact: true }).click();
  await card.getByRole('table', { name: 'Runs of the schedule' }).waitFor();
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('each type of surface says how it is used, and an outgoing webhook what it sent', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const webhook = { url: 'https://receiver.example.com/hook' };
  const made = await Promise.all(
    ['chat', 'mcp', 'a2a', 'webhook'].map((type) =>
      createSurface(tenant, product.id, { type, name: `The ${type}`, outbound: { webhook } }),
    ),
  );
  const said = [/\/page/, /\/mcp/, /agent-card\.json/, /POST \/webhook\/greet/];
  const { page } = await openConsole({ tenant, screen: '/products' });
  for (const [index, { id, name }] of made.entries()) {
    await addItem(tenant, { productId: product.id, id }, { capabilityId: capability.id });
    await goTo(page, `/products/${product.id}/surfaces/${id}`);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page
      .getByText(said[index] as RegExp)
      .first()
      .waitFor();
    await page.getByText('No deliveries yet').waitFor();
    await expectGoodScreen(page);
  }
});

test('snippets with a key that was made for them run as they stand, until the screen is left', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  await addItem(tenant, { productId: product.id, id: surface.id }, { capabilityId: capability.id });
  const screen = `/products/${product.id}/surfaces/${surface.id}`;
  const { page, complaints } = await openConsole({ tenant, screen });
  const snippet = async (language: string) => {
    await page.getByRole('radio', { name: language }).check();
    return page.getByRole('group', { name: language }).innerText();
  };
  expect(await snippet('curl')).toContain('$SURFACE_KEY');
  await page.getByRole('button', { name: 'Create key and insert' }).click();
  await page.getByText('it is shown once').waitFor();
  await page.getByLabel('Parameters').fill(JSON.stringify({ person: `Ada's "friend"` }));
  await expectGoodScreen(page);
  const answer = expect.stringContaining(`Hello Ada's \\"friend\\"`);
  expect(await outputOf('sh', ['-c', `curl() { command curl -sS "$@"; }; ${await snippet('curl')}`])).toEqual(
    answer,
  );
  expect(await outputOf(process.execPath, ['-e', await snippet('TypeScript')])).toEqual(answer);
  await snippet('Python');
  const { key } = (await tenant.call('GET', `/v1${screen}/keys`)).body.data[0];
  expect(key).toBeUndefined();
  await goTo(page, '/products');
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await goTo(page, screen);
  await page.getByRole('radio', { name: 'Python' }).waitFor();
  expect(await page.getByRole('group', { name: 'Python' }).innerText()).toContain(
    'os.environ["SURFACE_KEY"]',
  );
  expect(complaints).toEqual([]);
});

test('an a2a surface has its card, and programs that send a message and run as they stand, each time with its answer', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id, { type: 'a2a', status: 'active' });
  const place = { productId: product.id, id: surface.id };
  await addItem(tenant, place, { capabilityId: capability.id });
  const screen = `/products/${product.id}/surfaces/${surface.id}`;
  const { page, complaints } = await openConsole({ tenant, screen });
  const run = async (language: string) => {
    await page.getByRole('radio', { name: language }).check();
    const text = await page.getByRole('group', { name: language }).innerText();
    return language === 'TypeScript'
      ? outputOf(process.execPath, ['-e', text])
      : outputOf('sh', ['-c', `curl() { command curl -sS "$@"; }; ${text}`]);
  };
  expect(JSON.parse(await run('Agent card')).skills).toMatchObject([{ name: 'Greet' }]);
  await page.getByRole('button', { name: 'Create key and insert' }).click();
  await page.getByText('it is shown once').waitFor();
  await expectGoodScreen(page);
  for (const [person, language] of [
    ['Ada', 'curl'],
    ['Grace', 'TypeScript'],
  ] as const) {
    await page.getByLabel('Parameters').fill(JSON.stringify({ person }));
    const { result } = JSON.parse(await run(language));
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(result.task.artifacts[0].parts).toMatchObject([{ text: `Hello ${person}` }]);
  }
  const send = async () => {
    const [response] = await Promise.all([
      page.waitForResponse('**/a2a'),
      page.getByRole('button', { name: 'Send test request' }).click(),
    ]);
    return response.json();
  };
  const [first, second] = [await send(), await send()];
  expect(first.result.task.artifacts).toMatchObject([{ parts: [{ text: 'Hello Grace' }] }]);
  expect(second.result.task.id).not.toBe(first.result.task.id);
  await page.getByRole('region', { name: 'Response' }).getByText('success').waitFor();
  const offer = page.getByRole('checkbox', { name: 'Offer Greet' });
  await offer.click();
  await expect.poll(() => offer.isChecked()).toBe(false);
  expect((await send()).error.message).toContain('There is no such skill');
  await page.getByRole('region', { name: 'Response' }).getByText('failed').waitFor();
  expect(complaints).toEqual([]);
});

test('a test request runs an item as whoever is signed in, and shows the status, the body and the run', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id, { status: 'active' });
  await addItem(tenant, { productId: product.id, id: surface.id }, { capabilityId: capability.id });
  const { page } = await openConsole({ tenant, screen: `/products/${product.id}/surfaces/${surface.id}` });
  await page.getByText('A test request really runs').waitFor();
  await page.getByLabel('Parameters').fill('{');
  await page.getByText('Expected a JSON object').waitFor();
  await page.getByLabel('Parameters').fill('{}');
  const send = page.getByRole('button', { name: 'Send test request' });
  await send.click();
  const response = page.getByRole('region', { name: 'Response' });
  await response.getByText(/^4\d\d /).waitFor();
  await page.getByLabel('Parameters').fill('{"person":"Ada"}');
  await send.click();
  await response.getByText(/^200 .* · /).waitFor();
  await response.getByRole('group', { name: 'Response body' }).getByText('Hello Ada').waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await expectGoodScreen(page);
  await response.getByRole('link', { name: 'Open run' }).click();
  await page.waitForURL('**/console#/runs/exec_*');
});

test('an mcp surface has a request that calls its tool', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id, { type: 'mcp', status: 'active' });
  await addItem(tenant, { productId: product.id, id: surface.id }, { capabilityId: capability.id });
  const { page } = await openConsole({ tenant, screen: `/products/${product.id}/surfaces/${surface.id}` });
  await page.getByRole('button', { name: 'Create key and insert' }).click();
  await page.getByText('it is shown once').waitFor();
  const settings = JSON.parse(await page.getByRole('group', { name: 'MCP client' }).innerText());
  expect(settings.mcpServers.agentFlow.headers.Authorization).toMatch(/^Bearer tv_surface_test_/);
  await page.getByLabel('Parameters').fill('{"person":"Ada"}');
  await page.getByRole('button', { name: 'Send test request' }).click();
  await page.getByRole('group', { name: 'Response body' }).getByText('Hello Ada').waitFor();
});

test('a session that may not read products sees which permission is missing', async () => {
  const { page } = await openConsole({ screen: '/products', permissions: ['FLOWS:READ'] });
  await page.getByText('PRODUCTS:READ').waitFor();
  await goTo(page, '/products/product_01k9m4v7d3x8qz5w2r6t0y1hbn');
  await page.getByText('PRODUCTS:READ').waitFor();
  await expectGoodScreen(page);
});

test('a key of a surface is made, read again, and replaced with the keyboard alone', async () => {
  const tenant = await newTenant();
  const { product } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const path = `/products/${product.id}/surfaces/${surface.id}`;
  const { page, complaints } = await openConsole({ tenant, screen: path });
  const press = async (name: string | RegExp) => {
    await tabTo(page, 'button', name);
    await page.keyboard.press('Enter');
  };
  const keys = async () => (await tenant.call('GET', `/v1${path}`)).body.keys;
  const create = async (name: string) => {
    await press('Create key');
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'The key', exact: true });
    const value = await dialog.getByRole('group', { name: 'The value' }).innerText();
    await press('I stored it');
    await dialog.waitFor({ state: 'detached' });
    return value;
  };
  const value = await create('Old');
  await press('Reveal Old');
  const revealed = page.getByRole('alertdialog', { name: 'The key', exact: true });
  expect(await revealed.getByRole('group', { name: 'The value' }).innerText()).toBe(value);
  await expectGoodScreen(page);
  await page.keyboard.press('Escape');
  await revealed.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reveal Old' }).waitFor();
  await press('Delete Old');
  const question = page.getByRole('alertdialog', { name: 'Delete Old?' });
  await question.waitFor();
  // Behind Cancel, which has the focus.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  await page.getByText('No keys').waitFor();
  expect(await create('New')).not.toBe(value);
  expect(await keys()).toMatchObject([{ name: 'New' }]);
  expect(complaints).toEqual([]);
});
