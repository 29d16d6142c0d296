import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { noBrowser, watchedPage } from '../support/console/browser.ts';
import { killAll, start } from '../support/stack/processes.ts';

afterEach(killAll);

/** As `npm start` begins on a machine without a provider of models. */
const firstStart = {
  GENERIC_OPENAI_BASE_URL: '',
  OLLAMA_BASE_URL: 'http://127.0.0.1:1',
  LOCAL_MODEL: 'auto',
};

/** The console of a new user, in a stack of its own that knows nothing yet. */
async function newConsole(): Promise<Page> {
  const { facts } = await start(firstStart, ['--ephemeral']);
  const { page } = await watchedPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(facts.console);
  await button(page, 'Sign in').click();
  await page.getByLabel('User').fill('local');
  await button(page, 'Sign in').click();
  await page.getByText('Nothing has run yet').waitFor();
  await page.evaluate(count);
  return page;
}

type Counting = { effort: { clicks: number; keys: number } };

/** In the page: counts what somebody does by hand. */
function count(): void {
  const effort = { clicks: 0, keys: 0 };
  (globalThis as unknown as Counting).effort = effort;
  addEventListener('pointerdown', () => effort.clicks++, true);
  addEventListener('keydown', () => effort.keys++, true);
}

const effortOf = (page: Page) => page.evaluate(() => (globalThis as unknown as Counting).effort);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

/** From the screen of a flow that is published. */
async function runOnFifty(page: Page): Promise<void> {
  await button(page, 'Run on 50 records').click();
  await page.getByText('50 of 50', { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByText('Failed', { exact: true }).locator('..').getByText('0', { exact: true }).waitFor();
}

const slowly = { timeout: 240_000, retry: 1 };

test.skipIf(noBrowser)(
  'a new user runs a flow of a template on 50 records: 3 clicks',
  slowly,
  async (context) => {
    const page = await newConsole();
    const startedAt = performance.now();
    await button(page, 'Use template: Classify records').click();
    await link(page, 'Run on records').click();
    await runOnFifty(page);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    await context.annotate(`From a template: ${seconds} s`);
    expect(await effortOf(page)).toEqual({ clicks: 3, keys: 0 });
  },
);

test.skipIf(noBrowser)(
  'a new user makes a flow without a template, and runs it on 50 records: 10 clicks',
  slowly,
  async (context) => {
    const page = await newConsole();
    const startedAt = performance.now();
    const [name, prompt] = ['Sort tickets', 'Sort this ticket: {{ _record.metadata.text }}'];
    await link(page, 'Flows').click();
    await button(page, 'Create flow').first().click();
    await page.getByLabel('Name', { exact: true }).pressSequentially(name);
    await button(page, 'Create').click();
    await button(page, 'Add step').click();
    await button(page, 'Prompt').click();
    await page.getByRole('textbox', { name: 'User prompt' }).click();
    await page.getByRole('textbox', { name: 'User prompt' }).pressSequentially(prompt);
    await button(page, 'Save and publish').click();
    await page.getByText('Published. New runs use these steps').waitFor();
    await link(page, 'Run on records').click();
    await button(page, 'Load sample data').click();
    await runOnFifty(page);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    await context.annotate(`Without a template: ${seconds} s`);
    expect(await effortOf(page)).toEqual({ clicks: 10, keys: name.length + prompt.length });
  },
);
