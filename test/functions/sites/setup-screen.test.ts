import type { BrowserContextOptions, Page } from 'playwright-core';
import { test as anyTest, expect } from 'vitest';
import { expectAccessible, noBrowser, watchedPage } from '../../support/console/browser.ts';
import { call, newTenant, stack, type Tenant } from '../../support/stack/stack.ts';
import {
  expireAt,
  newKeyedSecret,
  revokeSecret,
  setupLink,
  storedSecret,
} from '../../support/surfaces/setup-links.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const field = (page: Page, key: string) => page.getByLabel(key, { exact: true });
const row = (page: Page, key: string) => page.getByRole('listitem').filter({ hasText: key });
const save = (page: Page) => page.getByRole('button', { name: 'Save securely' }).click();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const dead = 'This link no longer works';

/** The screen of a link for these keys, when it has asked for them. */
async function opened(tenant: Tenant, keys: string[], options: BrowserContextOptions = {}, after = '') {
  const link = await setupLink(tenant, keys);
  const watched = await watchedPage(options);
  await watched.page.goto(link.url + after);
  await row(watched.page, keys[0] ?? '').waitFor();
  return { ...link, ...watched };
}

test('a link opens a form for what is missing, which accepts a valid value after an invalid one, and then expires', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'PENDING_KEY');
  await revokeSecret(tenant, (await newKeyedSecret(tenant, 'GONE_KEY', 'gone for good')).id);
  const keys = ['PENDING_KEY', 'GONE_KEY', 'NEW_KEY'];
  const { page, requested, complaints, token, url } = await opened(tenant, keys);
  for (const key of keys) expect(await row(page, key).textContent()).toContain('Needs a value');

  await field(page, 'PENDING_KEY').fill('a value that is long enough');
  await field(page, 'GONE_KEY').fill('short');
  await field(page, 'NEW_KEY').fill('another good value');
  await save(page);
  await page.getByText('Too short').waitFor();
  expect(await focused(page)).toBe('value-GONE_KEY');
  expect(await field(page, 'GONE_KEY').getAttribute('aria-invalid')).toBe('true');
  expect(await storedSecret(tenant, 'NEW_KEY')).toBeUndefined();

  await field(page, 'GONE_KEY').fill('now it is long enough');
  await save(page);
  await heading(page, 'All set');
  for (const key of keys) expect(await row(page, key).textContent()).toContain('Configured');
  expect(await page.getByRole('textbox').count()).toBe(0);
  expect(await storedSecret(tenant, 'GONE_KEY')).toMatchObject({ value: 'now it is long enough' });
  expect(await storedSecret(tenant, 'PENDING_KEY')).toMatchObject({ value: 'a value that is long enough' });

  const later = await watchedPage();
  await later.page.goto(url);
  await heading(later.page, dead);
  expect(await later.page.getByRole('textbox').count()).toBe(0);

  const asked = [...requested, ...later.requested].filter((address) => !address.startsWith('data:'));
  for (const address of asked) expect(new URL(address).origin).toBe(stack().url);
  expect(asked.map((address) => address.split('#')[0]).join()).not.toContain(token);
  expect(complaints).toEqual([]);
});

test('the token disappears from the address bar, and the browser does not store it', async () => {
  const { page, token } = await opened(await newTenant(), ['ONE_KEY']);
  expect(page.url()).toBe(`${stack().url}/secrets/setup`);
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state]),
  );
  expect(kept).not.toContain(token.slice(9));
  expect(await page.content()).not.toContain(token.slice(9));
  await page.reload();
  await heading(page, 'Open the link that you were sent');
});

test('the keyboard operates the whole form, and a value can be shown', async () => {
  const tenant = await newTenant();
  const { page } = await opened(tenant, ['FIRST_KEY', 'SECOND_KEY']);
  const { keyboard } = page;
  await keyboard.press('Tab');
  expect(await focused(page)).toBe('value-FIRST_KEY');
  await keyboard.type('typed by hand');
  expect(await field(page, 'FIRST_KEY').getAttribute('type')).toBe('password');
  await keyboard.press('Tab');
  await keyboard.press('Space');
  expect(await field(page, 'FIRST_KEY').getAttribute('type')).toBe('text');
  const reveal = page.getByRole('button', { name: 'Show the value of FIRST_KEY' });
  expect(await reveal.getAttribute('aria-pressed')).toBe('true');
  await keyboard.press('Space');
  expect(await field(page, 'FIRST_KEY').getAttribute('type')).toBe('password');
  await keyboard.press('Tab');
  await keyboard.type('typed as well');
  await keyboard.press('Enter');
  await heading(page, 'All set');
  expect(await focused(page)).toBe('title');
  expect(await storedSecret(tenant, 'SECOND_KEY')).toMatchObject({ value: 'typed as well' });
});

test('some values can be saved now and the others later', async () => {
  const tenant = await newTenant();
  const { page } = await opened(tenant, ['FIRST_KEY', 'SECOND_KEY']);
  await save(page);
  await page.getByText('Enter a value.').waitFor();
  expect(await focused(page)).toBe('value-FIRST_KEY');
  await field(page, 'SECOND_KEY').fill('the second value');
  await save(page);
  await page.getByText('1 value saved, 1 to go.').waitFor();
  expect(await row(page, 'SECOND_KEY').textContent()).toContain('Configured');
  await field(page, 'FIRST_KEY').fill('the first value');
  await save(page);
  await heading(page, 'All set');
  expect(await storedSecret(tenant, 'FIRST_KEY')).toMatchObject({ value: 'the first value' });
});

test('an invalid value shows the service’s error next to it', async () => {
  const tenant = await newTenant();
  const { page } = await opened(tenant, ['FIRST_KEY', 'SECOND_KEY']);
  await newKeyedSecret(tenant, 'SECOND_KEY', 'meanwhile by its owner');
  await field(page, 'FIRST_KEY').fill('the first value');
  await field(page, 'SECOND_KEY').fill('the second value');
  await save(page);
  await row(page, 'SECOND_KEY').getByText('already has a value').waitFor();
  expect(await focused(page)).toBe('value-SECOND_KEY');
  expect(await storedSecret(tenant, 'FIRST_KEY')).toBeUndefined();
  expect(await storedSecret(tenant, 'SECOND_KEY')).toMatchObject({ value: 'meanwhile by its owner' });
});

test('an expired link shows a message and clears the form', async () => {
  const tenant = await newTenant();
  const { page, token } = await opened(tenant, ['ONE_KEY']);
  await expireAt(tenant, token, new Date());
  await field(page, 'ONE_KEY').fill('too late for this');
  await save(page);
  await heading(page, dead);
  expect(await page.getByRole('textbox').count()).toBe(0);
  expect(await storedSecret(tenant, 'ONE_KEY')).toBeUndefined();
});

test('a lost connection loses no input, and the same values can be sent again', async () => {
  const tenant = await newTenant();
  const { page } = await opened(tenant, ['ONE_KEY']);
  await field(page, 'ONE_KEY').fill('kept over the gap');
  await page.context().setOffline(true);
  await save(page);
  await page.getByText('The service cannot be reached').waitFor();
  expect(await field(page, 'ONE_KEY').inputValue()).toBe('kept over the gap');
  await page.context().setOffline(false);
  await save(page);
  await heading(page, 'All set');
  expect(await storedSecret(tenant, 'ONE_KEY')).toMatchObject({ value: 'kept over the gap' });
});

test('the screen retries a service that is unreachable at first', async () => {
  const { url } = await setupLink(await newTenant(), ['ONE_KEY']);
  const { page } = await watchedPage();
  await page.route('**/intake/manifest', (route) => route.abort());
  await page.goto(url);
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute('**/intake/manifest');
  await page.getByRole('button', { name: 'Try again' }).click();
  await row(page, 'ONE_KEY').waitFor();
});

test('a pasted key of several lines keeps its lines', async () => {
  const tenant = await newTenant();
  const { page } = await opened(tenant, ['PEM_KEY']);
  const pem = '-----BEGIN KEY-----\nMIIB\nAQAB\n-----END KEY-----\n';
  await field(page, 'PEM_KEY').evaluate((input, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', text);
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true, bubbles: true }));
  }, pem);
  expect(await field(page, 'PEM_KEY').inputValue()).toBe(pem);
  await save(page);
  await heading(page, 'All set');
  expect(await storedSecret(tenant, 'PEM_KEY')).toMatchObject({ value: pem });
});

test('the return link shows where it leads, and an invalid one is left out', async () => {
  const tenant = await newTenant();
  const finish = async (returnUrl: string) => {
    const after = `&returnUrl=${encodeURIComponent(returnUrl)}`;
    const { page } = await opened(
      tenant,
      [`KEY_${crypto.randomUUID().slice(0, 8).toUpperCase()}`],
      {},
      after,
    );
    await page.getByRole('textbox').or(page.locator('input')).first().fill('a good value');
    await save(page);
    await heading(page, 'All set');
    return page;
  };
  const back = (await finish('https://app.example.com/agents?id=7')).getByRole('link');
  expect(await back.textContent()).toBe('Continue to app.example.com');
  expect(await back.getAttribute('href')).toBe('https://app.example.com/agents?id=7');
  expect(await (await finish('javascript:alert(1)')).getByRole('link').count()).toBe(0);
});

test('another link in the same window opens that link’s form', async () => {
  const tenant = await newTenant();
  const { page } = await opened(tenant, ['FIRST_KEY']);
  await page.goto((await setupLink(tenant, ['OTHER_KEY'])).url);
  await row(page, 'OTHER_KEY').waitFor();
  expect(await row(page, 'FIRST_KEY').count()).toBe(0);
});

test.each(['light', 'dark'] as const)('every state is accessible in %s', async (colorScheme) => {
  const tenant = await newTenant();
  const { page, url } = await opened(tenant, ['FIRST_KEY', 'SECOND_KEY'], { colorScheme });
  await expectAccessible(page);
  await field(page, 'FIRST_KEY').fill('short');
  await save(page);
  await page.getByText('Too short').waitFor();
  await expectAccessible(page);
  await field(page, 'FIRST_KEY').fill('long enough now');
  await field(page, 'SECOND_KEY').fill('long enough too');
  await save(page);
  await heading(page, 'All set');
  await expectAccessible(page);
  await page.goto(url);
  await heading(page, dead);
  await expectAccessible(page);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [brightness = 0] = background.match(/\d+/g)?.map(Number) ?? [];
  expect(brightness > 128).toBe(colorScheme === 'light');
});

test('the screen also works under the path of a stage', async () => {
  const { token } = await setupLink(await newTenant(), ['ONE_KEY']);
  const { page } = await watchedPage();
  await page.route('**/dev/**', async (route) => {
    const response = await route.fetch({ url: route.request().url().replace('/dev/', '/') });
    await route.fulfill({ response });
  });
  await page.goto(`${stack().url}/dev/secrets/setup#${token}`);
  await field(page, 'ONE_KEY').fill('a good value');
  await save(page);
  await heading(page, 'All set');
});

test('nothing is cut off on a screen 320 pixels wide', async () => {
  const long = 'A_KEY_WITH_A_NAME_THAT_GOES_ON_AND_ON_AND_ON_FOR_LONGER_THAN_ANY_SCREEN_IS_WIDE';
  const { page } = await opened(await newTenant(), [long], { viewport: { width: 320, height: 640 } });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('without JavaScript the page states what it needs', async () => {
  const { url } = await setupLink(await newTenant(), ['ONE_KEY']);
  const { page } = await watchedPage({ javaScriptEnabled: false });
  await page.goto(url);
  expect(await page.locator('noscript').textContent()).toContain('needs JavaScript');
});

anyTest('the screen is kept in no cache, framed by nobody, and takes nothing from elsewhere', async () => {
  for (const path of ['', '/script.js', '/fields.js', '/style.css']) {
    const { status, headers, body } = await call('GET', `/secrets/setup${path}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(body).not.toMatch(/https?:\/\/(?!localhost|www\.w3\.org)/);
  }
});
