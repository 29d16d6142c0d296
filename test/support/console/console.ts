import type { ElementHandle, Page, ViewportSize } from 'playwright-core';
import { test } from 'vitest';
import { newTenant, stack, type Tenant } from '../stack/stack.ts';
import { expectAccessible, noBrowser, rulesOfColours, watched } from './browser.ts';
import { signInAs } from './console-sign-in.ts';
import { keptPage } from './kept-pages.ts';

/**
 * A test with a browser: skipped without one, and with time for a slow machine. On one that other tests keep busy, the
 * service may answer 503 or a page be late, so it may run once more; the report says so.
 */
export const browserTest = (name: string, work: () => Promise<void>) =>
  test.skipIf(noBrowser !== undefined)(name, { timeout: 120_000, retry: 1 }, work);

export interface ConsoleOptions {
  /** Where to begin: `/flows`. */
  screen?: string;
  /** Of the session. Default: all. */
  permissions?: readonly string[];
  /** Whose console it is. Default: that of a new user. */
  tenant?: Tenant;
  viewport?: ViewportSize;
  /** Whether the page may read what it copied. */
  clipboard?: boolean;
}

/** The console of a tenant, on the way back from the issuer. */
export async function openConsole({
  screen = '/',
  permissions,
  viewport,
  clipboard,
  ...options
}: ConsoleOptions = {}) {
  const tenant = options.tenant ?? (await newTenant());
  const page = await keptPage();
  const result = { ...watched(page), tenant };
  page.setDefaultTimeout(20_000);
  if (viewport) await page.setViewportSize(viewport);
  if (clipboard) await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(await signInAs(page, tenant, { screen, permissions }));
  await page.locator('.shell').waitFor();
  return result;
}

export const screenAddress = (screen = '/') => `${stack().url}/console#${screen}`;

/** Goes to another screen of the console, as a link does. */
export const goTo = (page: Page, screen: string) =>
  page.evaluate((fragment) => {
    location.hash = fragment;
  }, screen);

/** axe has no findings, in the dark for colours alone, and nothing makes the page scroll sideways. */
export async function expectGoodScreen(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await animationsEnd(page);
    await expectAccessible(page, [], colorScheme === 'dark' ? { runOnly: rulesOfColours } : {});
  }
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (beyond > 0) throw new Error(`The page is ${beyond} px wider than the window`);
}

/** Presses Tab until the element has the focus, as somebody without a mouse does who sees it already. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp) {
  const target = page.getByRole(role, { name, exact: typeof name === 'string' }).first();
  let element: ElementHandle | undefined;
  for (let presses = 0; presses < 80; presses++) {
    // Found once, because a search by role looks at the whole page. An editor for code has its field in a shadow root.
    element ??= (await target.elementHandle()) as ElementHandle;
    const hasFocus = await element.evaluate(
      (found) => found.isConnected && found === (found.getRootNode() as ShadowRoot).activeElement,
    );
    if (hasFocus) return;
    await page.keyboard.press('Tab');
    if (!(await element.evaluate(({ isConnected }) => isConnected))) element = undefined;
  }
  throw new Error(`Tab does not reach the ${role} ${name}`);
}

/** A dialog that is still fading in has less contrast. The cursor of an editor blinks for ever. */
export const animationsEnd = (page: Page) =>
  page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    // One that is cancelled, because its element has gone, has ended too.
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
