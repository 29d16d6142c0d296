import type { Page } from 'playwright-core';
import { type Figure, median } from '../measure/figure.ts';
import type { BenchStack } from '../measure/stack.ts';
import { goTo, longestTask } from './longest-task.ts';

const steps = 1_000;

/** Opens a long flow, moves a step, types a name; shows it as a graph; types into the template of a step. */
export async function longFlow(page: Page, { api, facts }: BenchStack): Promise<Figure[]> {
  const flowSteps = Array.from({ length: steps }, (_, n) => ({
    type: 'template' as const,
    name: `Step ${n}`,
    config: { template: `{{ _record.name }} ${n}`, outputVariable: `v${n}` },
  }));
  const { id } = await api.call('flows.create', { body: { name: 'Long', flowSteps } });
  return [
    await longestTask(page, 100, `a flow of ${steps} steps is opened and edited`, async () => {
      await goTo(page, `/flows/${id}`);
      await page.getByRole('button', { name: /^Step 0/ }).press('Alt+ArrowDown');
      await page.getByRole('textbox', { name: 'Name' }).pressSequentially('another name', { delay: 30 });
      // The validation of the edit.
      await page.waitForResponse((response) => response.url() === `${facts.url}/v1/public/flows/validate`);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Leave' }).or(page.getByText('Draft saved')).waitFor();
    }),
    await typing(page),
    await graph(page),
  ];
}

/** Types into the editor of code, and goes on until what follows a change is done: variables, validation, its card. */
const typing = (page: Page) =>
  longestTask(page, 100, `80 characters are typed into the template of one of ${steps} steps`, async () => {
    const editor = page.getByRole('textbox', { name: 'Template', exact: true });
    await editor.click();
    await page.keyboard.press('Control+End');
    await observeKeys(page);
    await page.keyboard.type(
      ' The order of {{ _record.name }} with the number {{ v1 }} arrives after noon. Bye',
      {
        delay: 40,
      },
    );
    await page.waitForTimeout(1_500);
    return { keyToPaintMs: await keysToPaint(page) };
  });

/** The browser reports keys that took 16 ms or more until the next paint; the others count as that. */
const observeKeys = (page: Page) =>
  page.evaluate(() => {
    const keys: number[] = [];
    Object.assign(globalThis, { keys });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') keys.push(duration);
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });

async function keysToPaint(page: Page) {
  const keys = await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys);
  return { median: keys.length > 40 ? median(keys) : 16, longest: Math.max(16, ...keys) };
}

const graph = (page: Page) =>
  longestTask(page, 100, `${steps} steps are shown as a graph and scrolled through`, async () => {
    await page.getByRole('radio', { name: 'Graph' }).check();
    await page.locator('.graph-box').hover();
    for (let screenful = 0; screenful < 20; screenful++) {
      await page.mouse.wheel(0, 3_000);
      await page.waitForTimeout(50);
    }
  });
