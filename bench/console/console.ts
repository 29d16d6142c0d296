import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../infra/operations/doctor/browsers.ts';
import { type Figure, median, progress, round } from '../measure/figure.ts';
import { type BenchStack, startStack } from '../measure/stack.ts';
import { largeOutput, longFlow, manyRecords } from './console-data.ts';

const reloads = 9;

/** (z) The web console in Chromium: what it transfers, when it is usable, and whether much data blocks it. */
export async function webConsole(): Promise<Figure[]> {
  progress('z: the web console: the first load, the time until it is usable, much data');
  const executablePath = findBrowser(process.env);
  if (!executablePath) {
    process.stderr.write('z is left out: there is no Chromium. Set CHROMIUM to the path of one\n');
    return [];
  }
  await using stack = await startStack();
  const browser = await chromium.launch({
    executablePath,
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
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    return [
      ...(await firstLoad(page, stack)),
      ...(await largeOutput(page, stack)),
      await manyRecords(page, stack),
      await longFlow(page, stack),
    ];
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
