import type { BrowserContextOptions, Page } from 'playwright-core';
import { watchedPage } from '../console/browser.ts';
import type { Tenant } from '../stack/stack.ts';
import { setupLink } from './setup-links.ts';

export const titled = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
export const field = (page: Page, key: string) => page.getByLabel(key, { exact: true });
export const row = (page: Page, key: string) => page.getByRole('listitem').filter({ hasText: key });
export const save = (page: Page) => page.getByRole('button', { name: 'Save securely' }).click();
export const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
export const dead = 'This link no longer works';

/** The screen of a link for these keys, when it has asked for them. */
export async function opened(
  tenant: Tenant,
  keys: string[],
  options: BrowserContextOptions = {},
  after = '',
) {
  const link = await setupLink(tenant, keys);
  const watched = await watchedPage(options);
  await watched.page.goto(link.url + after);
  await row(watched.page, keys[0] ?? '').waitFor();
  return { ...link, ...watched };
}
