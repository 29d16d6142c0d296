import { test as anyTest, expect } from 'vitest';
import { expectAccessible, noBrowser, rulesOfColours, watchedPage } from '../../support/console/browser.ts';
import { animationsEnd } from '../../support/console/console.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

test('the reference loads nothing from elsewhere, its policy blocks none of its own parts, and it is accessible in light and dark', async () => {
  const { page, requested, complaints } = await watchedPage({ colorScheme: 'light' });
  await page.goto(`${stack().url}/docs#tag/flow-versions/GET/v1/flow-versions/{flowId}/published`);
  await page.getByRole('heading', { name: 'Get the published version' }).waitFor();
  await page.getByRole('button', { name: 'Flow versions' }).first().waitFor();
  const asked = requested.filter((address) => !address.startsWith('data:'));
  expect(asked.map((address) => new URL(address).pathname).toSorted()).toEqual([
    '/docs',
    '/docs/script.js',
    '/docs/style.css',
    '/openapi.json',
  ]);
  for (const address of asked) expect(new URL(address).origin).toBe(stack().url);
  // Scalar names the region of the examples of each operation alike.
  await expectAccessible(page, ['landmark-unique']);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(background).not.toBe(light);
  await animationsEnd(page);
  await expectAccessible(page, [], { runOnly: rulesOfColours });
  expect(complaints).toEqual([]);
}, 90_000);

test('a request is tried on the page with a key', async () => {
  const tenant = await newTenant();
  expect((await tenant.call('POST', '/v1/flows', { body: { name: 'Seen on the page' } })).status).toBe(201);
  const { page } = await watchedPage();
  await page.goto(`${stack().url}/docs#tag/flows/GET/v1/flows`);
  await page.getByPlaceholder('Token').first().fill(tenant.token);
  await page
    .getByRole('region', { name: 'List flows' })
    .getByRole('button', { name: /Test Request/ })
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Send get request/ })
    .click();
  await page.getByRole('dialog').getByText('Seen on the page').first().waitFor();
}, 90_000);

test('no other page may show the reference in a frame', async () => {
  const { headers } = await fetch(`${stack().url}/docs`);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-frame-options')).toBe('DENY');
});
