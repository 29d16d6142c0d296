import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startModelStandIn } from '../../../examples/model-stand-in.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { browserFlags, findBrowser } from '../../../infra/operations/doctor/browsers.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { type CallOperation, sampleAnswer } from './sample-workspace.ts';

export const rootPath = fileURLToPath(new URL('../../../', import.meta.url));
const size = { width: 1_280, height: 800 };

interface Opened {
  /** The console of somebody who is signed in. */
  page: Page;
  browser: Browser;
  call: CallOperation;
}

/** Does something in the console of a new stack whose models answer as real ones would, and ends both. */
export async function inConsole(work: (opened: Opened) => Promise<void>): Promise<void> {
  const models = await startModelStandIn({ delayMs: 180, pieceDelayMs: 30, answer: sampleAnswer });
  const env = { PORT: '0', GENERIC_OPENAI_BASE_URL: models.url, LOCAL_MODEL: 'off', LOG_LEVEL: 'error' };
  const stack = spawn(process.execPath, ['infra/local/main.ts', '--json', '--ephemeral'], {
    cwd: rootPath,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { url, sessionToken } = await factsOf(stack);
    await using browser = await openBrowser();
    const call = createClient({ baseUrl: url, apiKey: sessionToken }).call;
    await work({ page: await signedIn(browser, url), browser, call });
  } finally {
    stack.kill();
    await models.close();
  }
}

async function factsOf({ stdout }: { stdout: NodeJS.ReadableStream }): Promise<StackFacts> {
  for await (const line of createInterface(stdout)) return JSON.parse(line) as StackFacts;
  throw new Error('The stack did not start');
}

function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser(process.env);
  if (!executablePath) throw new Error('There is no Chromium: install it, or set CHROMIUM to its path');
  return chromium.launch({ executablePath, args: browserFlags });
}

async function signedIn(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: size, reducedMotion: 'reduce' });
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('User').fill('local');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.shell').waitFor();
  return page;
}

/** Goes to another screen, as a link does. */
export const goTo = (page: Page, screen: string) =>
  page.evaluate((fragment) => {
    location.hash = fragment;
  }, screen);
