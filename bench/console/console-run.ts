import type { Page } from 'playwright-core';
import type { Figure } from '../measure/figure.ts';
import type { BenchStack } from '../measure/stack.ts';
import { goTo, longestTask } from './longest-task.ts';

const records = 50;
/** With the span of the run and one for each record, more than the 5,000 spans that a trace has at most. */
const stepsOfEach = 100;

/** Opens the page of a run with as many spans as a trace may have, opens all of them, and goes through them. */
export async function longRun(page: Page, { api }: BenchStack): Promise<Figure> {
  const runId = await runOnRecords(api);
  return longestTask(page, 100, 'a run of 5,000 spans is opened, expanded and scrolled through', async () => {
    await goTo(page, `/runs/${runId}`);
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.getByRole('button', { name: 'Collapse all' }).waitFor();
    const spans = page.getByRole('treegrid');
    await spans.hover();
    for (let screenful = 0; screenful < 40; screenful++) {
      await page.mouse.wheel(0, 3_000);
      await page.waitForTimeout(50);
    }
    await spans.focus();
    for (let row = 0; row < 20; row++) await page.keyboard.press('ArrowUp');
    return {
      shown:
        (await page
          .getByText(/[\d,]+ spans/)
          .first()
          .textContent()) ?? '',
    };
  });
}

async function runOnRecords(api: BenchStack['api']): Promise<string> {
  const lines = Array.from({ length: records }, (_, n) => `r${n}`);
  const file = new Blob([['name', ...lines].join('\n')], { type: 'text/csv' });
  await api.call('records.upload-csv', {
    body: { file: file as never, nameColumn: 'name', typeValue: 'traced' },
  });
  const flowSteps = Array.from({ length: stepsOfEach }, (_, n) => ({
    type: 'template' as const,
    name: `Step ${n}`,
    config: { template: `${n}` },
  }));
  const { id } = await api.call('flows.create', { body: { name: 'Traced', flowSteps } });
  await api.call('flows.publish', { params: { id } });
  const { batchId } = await api.call('flows.run-on-record-type', {
    params: { id },
    body: { recordType: 'traced' },
  });
  for (let asked = 0; asked < 240; asked++) {
    const { completedAt } = await api.call('batches.status', { params: { id: batchId } });
    if (completedAt) return batchId;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('The run on records did not end in a minute');
}
