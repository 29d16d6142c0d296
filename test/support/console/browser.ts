import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { browserFlags, findBrowser } from '../../../infra/operations/doctor/browsers.ts';

const executablePath = findBrowser(process.env);

/** Why no browser can be opened; in CI there has to be one. */
export const noBrowser = executablePath
  ? undefined
  : 'There is no Chromium: apt-get install -y chromium, or set CHROMIUM to the path of one';
if (noBrowser && process.env.CI) throw new Error(noBrowser);
if (noBrowser) console.warn(`Skipping the tests of pages. ${noBrowser}`);

/** What playwright disables too, because the last list counts; and the address bar's pages, one process a window. */
const disabledFeatures = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'DestroyProfileOnBrowserClose',
  'LensOverlay',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'NetworkTimeServiceQuerying',
  'PreconnectToSearch',
  'AimEnabled',
  'ThirdPartyStoragePartitioning',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
];

/** One for all files of a worker, which ends with it. */
function openBrowser(): Promise<Browser> {
  opened ??= launch().then((browser) => browser.once('disconnected', forget));
  return opened;
}
let opened: Promise<Browser> | undefined;
const forget = () => {
  opened = undefined;
};

const launch = () =>
  chromium.launch({
    ...(executablePath && { executablePath }),
    args: [...browserFlags, `--disable-features=${disabledFeatures}`],
  });

export interface Watched {
  page: Page;
  /** The address of every request that the page made. */
  requested: string[];
  /** What it complained of: errors, and what the content security policy refused. */
  complaints: string[];
}

/** A page in a window of its own, with nothing of another's in it. It is closed at the end of the test. */
export async function watchedPage(options: BrowserContextOptions = {}): Promise<Watched> {
  const page = await newPage(options);
  onTestFinished(async () => {
    // A page that asks on a timer may be in the middle of an answer.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  });
  return watched(page);
}

export async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await openBrowser();
  const context = await browser.newContext(options);
  return context.newPage();
}

export function watched(page: Page): Watched {
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

interface AxeOptions {
  runOnly?: readonly string[];
}
type WithAxe = { axe: { run: (options: AxeOptions) => Promise<AxeResults> } };

/** The rules that another colour scheme can break. */
export const rulesOfColours = ['color-contrast', 'link-in-text-block'] as const;

/**
 * axe has no findings.
 * @param except Rules that a library breaks in what it draws.
 * @param options All rules, unless some are named.
 */
export async function expectAccessible(
  page: Page,
  except: readonly string[] = [],
  options: AxeOptions = {},
): Promise<void> {
  // Past the page's own policy, as a debugger is.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe());
  const found = await page.evaluate(async (given) => {
    const { violations } = await (globalThis as unknown as WithAxe).axe.run(given);
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)] as const);
  }, violationsOnly(options));
  expect(found.filter(([id]) => !except.includes(id))).toEqual([]);
}

/** axe describes what passes too, unless told otherwise, which takes half of its time. */
const violationsOnly = (options: AxeOptions) => ({ ...options, resultTypes: ['violations'] });
