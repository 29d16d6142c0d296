import type { BrowserContextOptions, Page } from 'playwright-core';
import { test as anyTest, expect } from 'vitest';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { expectAccessible, noBrowser, watchedPage } from '../../support/console/browser.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { createToken } from '../../support/surfaces/client-tokens.ts';
import { addCapability, addItem, createProduct, createSurface } from '../../support/surfaces/products.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

/** A chat surface with an agent, and a token for pages of the API itself. */
async function world(behavior: object = {}, token: object = {}, agentConfig: object = {}) {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, agentConfig, {
    name: 'Ada’s shop',
    description: 'Answers questions',
  });
  const { id: productId } = await createProduct(tenant);
  const given = { capabilityName: 'Help', agentId: agent.id };
  const { id: capabilityId } = await expectStatus(201, addCapability(tenant, productId, given));
  const changes = { type: 'chat', status: 'active', behavior };
  const surface = await createSurface(tenant, productId, changes);
  await expectStatus(201, addItem(tenant, surface, { capabilityId }));
  const allowedOrigins = [new URL(stack().url).host];
  const { clientToken } = await createToken(tenant, {
    productSurfaceId: surface.id,
    allowedOrigins,
    ...token,
  });
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  return { tenant, path, tokenPath: `/v1/client-tokens/${clientToken.id}` };
}

async function visit(path: string, options: BrowserContextOptions = {}) {
  const watched = await watchedPage(options);
  await watched.page.goto(`${stack().url}${path}/page`);
  return watched;
}

async function opened(behavior: object = {}, options: BrowserContextOptions = {}) {
  const chat = await world(behavior);
  const watched = await visit(chat.path, options);
  await watched.page.getByRole('heading', { name: 'Ada’s shop' }).waitFor();
  return { ...chat, ...watched };
}

async function say(page: Page, text: string) {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const answers = (page: Page) => page.locator('.assistant .body');
const done = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor();

test('shows the chat of a surface, which answers, and asks no other origin for anything', async () => {
  const behavior = { placeholder: 'Ask Ada', welcomeMessage: '**Welcome**' };
  const { page, requested, complaints } = await opened(behavior);
  expect(await page.title()).toBe('Ada’s shop');
  await page.getByText('Answers questions').waitFor();
  expect(await page.locator('.assistant strong').textContent()).toBe('Welcome');
  expect(await page.getByPlaceholder('Ask Ada').count()).toBe(1);
  await say(page, 'What do you sell?');
  await page.getByText('You said: What do you sell?').first().waitFor();
  await done(page);
  expect(await page.getByRole('status').textContent()).toBe('Assistant: You said: What do you sell?');
  for (const address of requested.filter((each) => !each.startsWith('data:'))) {
    expect(new URL(address).origin).toBe(stack().url);
  }
  expect(complaints).toEqual([]);
});

test('Markdown of a model becomes elements; its HTML, images and dangerous links do not', async () => {
  const { page, requested, complaints } = await opened();
  const text = [
    '# Title',
    '',
    '1. *one*',
    '2. `two`',
    '',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    '',
    '<img src=x onerror="document.title=1"><script>document.title=2</script>',
    '',
    '![a picture](https://evil.example/p.png?secret)',
    '[run](javascript:document.title=3)',
    '[a page](https://example.com/a)',
  ].join('\n');
  await say(page, scripted({ text }));
  await done(page);
  const answer = answers(page).last();
  expect(await answer.locator('h2').textContent()).toBe('Title');
  expect(await answer.locator('ol > li').allTextContents()).toEqual(['one', 'two']);
  expect(await answer.locator('td').allTextContents()).toEqual(['1', '2']);
  expect(await answer.locator('img, script').count()).toBe(0);
  expect(await answer.textContent()).toContain('onerror="document.title=1"');
  const links = await answer.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  expect(links).toEqual(['https://evil.example/p.png?secret', 'https://example.com/a']);
  expect(await page.title()).toBe('Ada’s shop');
  expect(requested.join()).not.toContain('evil.example');
  expect(complaints).toEqual([]);
});

test('the keyboard operates the chat, and the focus stays where one writes', async () => {
  const { page } = await opened();
  const { keyboard } = page;
  await keyboard.type('one');
  await keyboard.press('Shift+Enter');
  await keyboard.type('two');
  await keyboard.press('Enter');
  await page.getByText('You said: one').first().waitFor();
  await done(page);
  expect(await page.locator('.user .body').textContent()).toBe('one\ntwo');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('text');
  await keyboard.press('Enter');
  expect(await page.locator('.user').count()).toBe(1);
});

test.each([
  ['light, phone', { colorScheme: 'light', viewport: { width: 360, height: 640 } }],
  ['dark, phone', { colorScheme: 'dark', viewport: { width: 360, height: 640 } }],
  ['light, desktop', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['dark, desktop', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
] as const)('%s: accessible, and nothing wider than the window', async (_, options) => {
  const theme = { primaryColor: '#ffd400' };
  const { page } = await opened({ theme, welcomeMessage: 'Welcome' }, options);
  const code = `Here:\n\n\`\`\`\n${'x'.repeat(300)}\n\`\`\`\n\n${'y'.repeat(300)}\n\n[a](https://example.com)`;
  await say(page, scripted({ text: code }));
  await done(page);
  await expectAccessible(page);
  const { scrolled, inner } = await page.evaluate(() => ({
    scrolled: document.documentElement.scrollWidth,
    inner: innerWidth,
  }));
  expect(scrolled).toBeLessThanOrEqual(inner);
});

test('a surface that is paused, has no token for this page, or does not exist is a chat that is not open', async () => {
  const closed = 'This chat is not open at the moment.';
  const { tenant, path, tokenPath } = await world();
  await expectStatus(200, tenant.call('PUT', path, { body: { status: 'paused' } }));
  await (await visit(path)).page.getByText(closed).waitFor();
  await expectStatus(200, tenant.call('PUT', path, { body: { status: 'active' } }));
  await (await visit(path)).page.getByRole('heading', { name: 'Ada’s shop' }).waitFor();
  const body = { allowedOrigins: ['example.com'] };
  await expectStatus(200, tenant.call('PUT', tokenPath, { body }));
  const { page } = await visit(path);
  await page.getByText(closed).waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
  await (await visit(path.replace(/[^/]+$/, 'nothing'))).page.getByText(closed).waitFor();
});

const order = {
  name: 'place_order',
  description: 'Orders',
  toolType: 'custom',
  config: { code: 'return "ordered"' },
  parametersSchema: { type: 'object' },
};
const guarded = { tools: { runtimeTools: [order], approval: { require: ['place_order'] } } };
const orders = scripted(calls(['place_order', { item: 'tea' }]), { text: 'It is on its way' });

test.each(['Allow', 'Deny'])('the visitor decides a call, and the answer goes on: %s', async (decision) => {
  const { path } = await world({}, { config: { approvals: true } }, guarded);
  const { page, complaints } = await visit(path);
  await page.getByRole('heading', { name: 'Ada’s shop' }).waitFor();
  await say(page, orders);
  const question = page.getByRole('group', { name: 'May the assistant use place_order?' });
  expect(await question.textContent()).toContain('"item": "tea"');
  await done(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: decision }).click();
  await page.getByText('It is on its way').first().waitFor();
  await done(page);
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
  await page
    .getByText(decision === 'Allow' ? 'Used place_order' : 'Denied')
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

test('what the owner decides, the visitor cannot: the page says so', async () => {
  const { path } = await world({}, { config: { approvals: false } }, guarded);
  const { page } = await visit(path);
  await page.getByRole('heading', { name: 'Ada’s shop' }).waitFor();
  await say(page, orders);
  await page.getByText('waits until its owner allows').first().waitFor();
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
});

test('a session that ended is followed by a new one, with the message', async () => {
  const { page, tenant, tokenPath } = await opened();
  await expectStatus(200, tenant.call('POST', `${tokenPath}/regenerate`));
  await say(page, 'Still there?');
  await page.getByText('Go on in a new one').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('You said: Still there?').first().waitFor();
});

test('a reload shows the history and continues the session; another tab has its own', async () => {
  const { page, path } = await opened({ welcomeMessage: 'Welcome' });
  await say(page, 'First');
  await page.getByText('You said: First').first().waitFor();
  await done(page);
  const sessionOf = (from: Page) => from.evaluate(() => JSON.stringify({ ...sessionStorage }));
  const first = await sessionOf(page);
  await page.reload();
  await page.getByText('You said: First').first().waitFor();
  expect(await page.locator('#messages .body').allTextContents()).toEqual([
    'Welcome',
    'First',
    'You said: First',
  ]);
  expect(await sessionOf(page)).toBe(first);
  await say(page, 'Second');
  await page.getByText('You said: Second').first().waitFor();
  const tab = await page.context().newPage();
  await tab.goto(`${stack().url}${path}/page`);
  await tab.getByRole('heading', { name: 'Ada’s shop' }).waitFor();
  expect(await sessionOf(tab)).not.toBe(first);
});

test('an answer whose connection broke is continued, whole and once', async () => {
  const { page } = await opened();
  let broken = 0;
  await page.route('**/v1/client/chat', async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    const cut = body.indexOf('\n\n', body.indexOf('text_delta')) + 2;
    broken++;
    await route.fulfill({ response, body: body.slice(0, cut) });
  });
  await say(page, 'Are you there?');
  await done(page);
  expect(broken).toBe(1);
  expect(await answers(page).allTextContents()).toEqual(['You said: Are you there?']);
  expect(await page.getByRole('status').textContent()).toBe('Assistant: You said: Are you there?');
});

test('the visitor judges an answer, and the tenant sees it', async () => {
  const { page, tenant } = await opened();
  await say(page, 'Hello');
  const good = page.getByRole('button', { name: 'Good answer' });
  await good.click();
  await page.getByText('Thank you').waitFor();
  expect(await good.getAttribute('aria-pressed')).toBe('true');
  await expectAccessible(page);
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  const { feedback } = await expectStatus(
    200,
    tenant.call('GET', `/v1/conversations/${conversations[0].id}`),
  );
  expect(feedback).toMatchObject([{ type: 'upvote' }]);
});

test('a message that is sent while a new chat opens is answered in that chat', async () => {
  const { page, complaints } = await opened();
  await say(page, 'first');
  await page.getByText('You said: first').first().waitFor();
  await page.route('**/v1/client/init', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await page.getByRole('button', { name: 'New chat' }).click();
  await say(page, 'second');
  await page.getByText('You said: second').first().waitFor();
  expect(await page.getByText('first').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('texts that no Markdown reader can take, and a strange theme, do not break the chat', async () => {
  const { path } = await world({}, { config: { theme: { primaryColor: { toString: 1 }, mode: 5 } } });
  const { page, complaints } = await visit(path);
  await page.getByRole('heading', { name: 'Ada’s shop' }).waitFor();
  const deep = [
    `${'>'.repeat(5_000)}x`,
    `${'- '.repeat(1_100)}x`,
    `${'> '.repeat(200)}x`,
    `${'['.repeat(5_000)}x`,
  ];
  for (const text of deep) {
    await page.getByRole('button', { name: 'New chat' }).click();
    await say(page, scripted({ text }));
    await expect
      .poll(async () => (await answers(page).last().textContent())?.at(-1), { timeout: 20_000 })
      .toBe('x');
    await done(page);
  }
  await page.reload();
  await answers(page).last().waitFor();
  expect((await answers(page).last().textContent())?.at(-1)).toBe('x');
  expect(complaints).toEqual([]);
}, 60_000);
