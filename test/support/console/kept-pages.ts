import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { donePath } from '../../../shared/domain/mcp-connections/connection-paths.ts';
import { stack } from '../stack/stack.ts';
import { newPage } from './browser.ts';

/** Pages of earlier tests. A new page would need a process, and compile everything that it loads. */
const kept: Page[] = [];
const viewport = { width: 1280, height: 900 };

/** A page of the service without content, signed in nowhere. The next test of this worker uses it again. */
export async function keptPage(): Promise<Page> {
  const page = kept.pop();
  if (page?.isClosed()) return keptPage();
  const usable = page ?? (await emptyPage());
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'pass' || clockUsed.has(usable)) return usable.context().close();
    await clear(usable);
    kept.push(usable);
  });
  return usable;
}

async function emptyPage(): Promise<Page> {
  const page = await newPage({ viewport });
  const { clock } = page;
  Object.defineProperty(page, 'clock', { get: () => clockUsed.add(page) && clock });
  await leave(page);
  return page;
}

/** Pages whose time a test may have set, which nothing sets back. */
const clockUsed = new WeakSet<Page>();

/** Goes to a page without scripts, in the same process. */
const leave = (page: Page) => page.goto(stack().url + donePath);

async function clear(page: Page): Promise<void> {
  const context = page.context();
  // A page that asks on a timer may be in the middle of an answer.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  page.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await other.close();
  await leave(page);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  await context.clearPermissions();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(viewport);
}
