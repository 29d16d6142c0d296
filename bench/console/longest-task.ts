import type { Page } from 'playwright-core';
import { type Figure, round } from '../measure/figure.ts';

/** The longest time for which the page could not answer during some work. */
export async function longestTask(
  page: Page,
  atMostMs: number,
  what: string,
  work: () => Promise<void> | Promise<Record<string, unknown>>,
): Promise<Figure> {
  await page.evaluate(() => {
    const longest = { ms: 0 };
    Object.assign(globalThis, { longest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  const details = await work();
  await page.waitForTimeout(500);
  const ms = await page.evaluate(() => (globalThis as unknown as { longest: { ms: number } }).longest.ms);
  return {
    figure: 'z',
    what: `the longest task of the page while ${what}`,
    value: round(ms, 0),
    unit: 'ms',
    goal: { atMost: atMostMs },
    ...(details && { details }),
  };
}

/** Goes to a screen of the console that is open, as a link does. */
export const goTo = (page: Page, screen: string) =>
  page.evaluate((fragment) => {
    location.hash = fragment;
  }, screen);
