import { chromium, type Page } from 'playwright-core';
import { browserFlags, findBrowser } from '../../infra/operations/doctor/browsers.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';
import { largeOutput, manyRecords } from './console-data.ts';
import { longFlow } from './console-flow.ts';
import { longRun } from './console-run.ts';

const reloads = 9;

/** (z) The web console in Chromium: what it transfers, when it is usable, and whether much data blocks it. */
export async function measureWebConsole(): Promise<Figure[]> {
  printProgress('z: the web console: the first load, the time until it is usable, much data');
  const executablePath = findBrowser(process.env);
  if (!executablePath) {
    process.stderr.write('z is left out: there is no Chromium. Set CHROMIUM to the path of one\n');
    return [];
  }
  await using stack = await startBenchStack();
  const browser = await chromium.launch({
    executablePath,
    args: browserFlags,
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    return [
      ...(await firstLoad(page, stack)),
      ...(await largeOutput(page, stack)),
      await manyRecords(page, stack),
      await longRun(page, stack),
      ...(await longFlow(page, stack)),
    ];
  } finally {
    await browser.close();
  }
}

async function firstLoad(page: Page, { facts }: BenchStack): Promise<Figure[]> {
  await page.goto(`${facts.url}/console`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Get started' }).waitFor();
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .concat(performance.getEntriesByType('navigation'))
      .filter(({ name }) => new URL(name).pathname.startsWith('/console'))
      .map((entry) => ({ name: entry.name, bytes: (entry as PerformanceResourceTiming).encodedBodySize })),
  );
  const requestsOfApi = await page.evaluate(
    () =>
      performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.startsWith('/v1/'))
        .length,
  );
  const isFont = ({ name }: { name: string }) => name.endsWith('.woff2');
  const kilobytes = (files: typeof loaded) =>
    round(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000, 1);
  const times: number[] = [];
  for (let count = 0; count < reloads; count++) {
    const start = performance.now();
    await page.reload();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    times.push(performance.now() - start);
  }
  return [
    {
      figure: 'z',
      what: 'what the first load of the console transfers, compressed, without its font',
      value: kilobytes(loaded.filter((file) => !isFont(file))),
      unit: 'KB',
      goal: { atMost: 200 },
      details: { fontKb: kilobytes(loaded.filter(isFont)), files: loaded.length, requestsOfApi },
    },
    {
      figure: 'z',
      what: 'from a reload until the start screen shows its figures, with the way to the issuer and back',
      value: round(median(times), 0),
      unit: 'ms',
      goal: { atMost: 1_200 },
      details: { reloads },
    },
  ];
}
