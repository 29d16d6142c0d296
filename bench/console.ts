import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../infra/operations/doctor/browsers.ts';
import { type Figure, median, progress, round } from './figure.ts';
import { type BenchStack, startStack } from './stack.ts';

const steps = 1_000;
const records = 50_000;
const reloads = 9;

/** (z) The web console in Chromium: what it transfers, when it is usable, and whether much data blocks it. */
export async function webConsole(): Promise<Figure[]> {
  progress('z: the web console: the first load, the time until it is usable, a flow of 1,000 steps');
  const executablePath = findBrowser(process.env);
  if (!executablePath) {
    process.stderr.write('z is left out: there is no Chromium. Set CHROMIUM to the path of one\n');
    return [];
  }
  await using stack = await startStack();
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    return [...(await firstLoad(page, stack)), await manyRecords(page, stack), await longFlow(page, stack)];
  } finally {
    await browser.close();
  }
}

async function firstLoad(page: Page, { facts }: BenchStack): Promise<Figure[]> {
  await page.goto(`${facts.url}/console`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Cost today').waitFor();
  const bytes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .concat(performance.getEntriesByType('navigation'))
      .filter(({ name }) => new URL(name).pathname.startsWith('/console'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  );
  const times: number[] = [];
  for (let count = 0; count < reloads; count++) {
    const start = performance.now();
    await page.reload();
    await page.getByText('Cost today').waitFor();
    times.push(performance.now() - start);
  }
  return [
    {
      figure: 'z',
      what: 'what the first load of the console transfers, compressed',
      value: round(bytes / 1_000, 1),
      unit: 'KB',
      goal: { atMost: 200 },
    },
    {
      figure: 'z',
      what: 'from a reload until the start screen shows its figures, with the way to the issuer and back',
      value: round(median(times), 0),
      unit: 'ms',
      goal: { atMost: 1_500 },
      details: { reloads },
    },
  ];
}

/** Opens a flow, moves a step, types a name. */
async function longFlow(page: Page, { api, facts }: BenchStack): Promise<Figure> {
  const flowSteps = Array.from({ length: steps }, (_, n) => ({
    ...{ type: 'template' as const, name: `Step ${n}` },
    config: { template: `{{ _record.name }} ${n}`, outputVariable: `v${n}` },
  }));
  const { id } = await api.call('POST /v1/flows', { body: { name: 'Long', flowSteps } });
  return longestTask(page, `a flow of ${steps} steps is opened and edited`, async () => {
    await goTo(page, `/flows/${id}`);
    await page.getByRole('button', { name: /^Step 0/ }).press('Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Name' }).pressSequentially('another name', { delay: 30 });
    // The validation of the edit.
    await page.waitForResponse((response) => response.url() === `${facts.url}/v1/public/flows/validate`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Leave' }).or(page.getByText('Saved as the draft')).waitFor();
  });
}

/** Scrolls through the records of a type, page after page. */
async function manyRecords(page: Page, { api }: BenchStack): Promise<Figure> {
  const rows = 10_000;
  for (let first = 0; first < records; first += rows) {
    const lines = Array.from({ length: rows }, (_, n) => `r${first + n},${n},${'text '.repeat(5)}`);
    const file = new Blob([['name,size,about', ...lines].join('\n')], { type: 'text/csv' });
    await api.call('POST /v1/records/upload-csv', {
      body: { file: file as never, nameColumn: 'name', typeValue: 'many' },
    });
  }
  return longestTask(
    page,
    `${records} records are opened, and 40 pages of them are scrolled through`,
    async () => {
      await goTo(page, '/records/type/many');
      await page.getByRole('table').waitFor();
      for (let screenful = 0; screenful < 40; screenful++) {
        await page.mouse.wheel(0, 3_000);
        await page.waitForTimeout(50);
      }
    },
  );
}

/** The longest time for which the page could not answer meanwhile. */
async function longestTask(page: Page, what: string, work: () => Promise<void>): Promise<Figure> {
  await page.evaluate(() => {
    const longest = { ms: 0 };
    Object.assign(globalThis, { longest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  await work();
  await page.waitForTimeout(500);
  const ms = await page.evaluate(() => (globalThis as unknown as { longest: { ms: number } }).longest.ms);
  return {
    ...{ figure: 'z', what: `the longest task of the page while ${what}` },
    ...{ value: round(ms, 0), unit: 'ms', goal: { atMost: 200 } },
  };
}

const goTo = (page: Page, screen: string) =>
  page.evaluate((fragment) => {
    location.hash = fragment;
  }, screen);
