import { test as anyTest, expect } from 'vitest';
import { noBrowser, watchedPage } from '../../support/console/browser.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { newKeyedSecret, revokeSecret, storedSecret } from '../../support/surfaces/setup-links.ts';

import { dead, field, focused, opened, row, save, titled } from '../../support/surfaces/setup-screen.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

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
  await titled(page, 'All set');
  for (const key of keys) expect(await row(page, key).textContent()).toContain('Configured');
  expect(await page.getByRole('textbox').count()).toBe(0);
  expect(await storedSecret(tenant, 'GONE_KEY')).toMatchObject({ value: 'now it is long enough' });
  expect(await storedSecret(tenant, 'PENDING_KEY')).toMatchObject({ value: 'a value that is long enough' });

  const later = await watchedPage();
  await later.page.goto(url);
  await titled(later.page, dead);
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
  await titled(page, 'Open the link that you were sent');
});
