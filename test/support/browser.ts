import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBrowser } from '../../infra/operations/doctor/browsers.ts';

const executablePath = findBrowser(process.env);

/** Why no browser can be opened; in CI there has to be one. */
export const noBrowser = executablePath
  ? undefined
  : 'There is no Chromium: apt-get install -y chromium, or set CHROMIUM to the path of one';
if (noBrowser && process.env.CI) throw new Error(noBrowser);
if (noBrowser) console.warn(`Skipping the tests of pages. ${noBrowser}`);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath && { executablePath }),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface Watched {
  page: Page;
  /** The address of every request that the page made. */
  requested: string[];
  /** What it complained of: errors, and what the content security policy refused. */
  complaints: string[];
}

/** A page in a window of its own, with nothing of another's in it. */
export async function watchedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return { page, requested, complaints };
}

const axe = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** axe has no findings. @param except Rules that a library breaks in what it draws. */
export async function expectAccessible(page: Page, except: readonly string[] = []): Promise<void> {
  // Past the page's own policy, as a debugger is.
  await page.evaluate(axe());
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  const found = violations.filter(({ id }) => !except.includes(id));
  expect(found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}
