import { test as anyTest, expect } from 'vitest';
import { expectAccessible, noBrowser, watchedPage } from '../../support/console/browser.ts';
import { call, newTenant, stack } from '../../support/stack/stack.ts';
import { expireAt, newKeyedSecret, setupLink, storedSecret } from '../../support/surfaces/setup-links.ts';

import { dead, field, focused, opened, row, save, titled } from '../../support/surfaces/setup-screen.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

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
  await titled(page, 'All set');
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
  await titled(page, 'All set');
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
  await titled(page, dead);
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
  await titled(page, 'All set');
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
  await titled(page, 'All set');
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
    await titled(page, 'All set');
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
  await titled(page, 'All set');
  await expectAccessible(page);
  await page.goto(url);
  await titled(page, dead);
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
  await titled(page, 'All set');
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
