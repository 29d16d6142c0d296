import type { Page } from 'playwright-core';
import type { Figure } from '../measure/figure.ts';
import type { BenchStack } from '../measure/stack.ts';
import { goTo, longestTask } from './longest-task.ts';

const records = 50_000;

/** Shows an output of the 4 million characters that a script may return. */
export async function largeOutput(page: Page, { api }: BenchStack): Promise<Figure[]> {
  const record = await api.call('records.create', { body: { type: 'large', name: 'One', metadata: {} } });
  const script = "return Array.from({ length: 40_000 }, (_, n) => ({ n, text: 'x'.repeat(75) }))";
  const { id } = await api.call('flows.create', {
    body: { name: 'Large', flowSteps: [{ type: 'transform-data', name: 'Much', config: { script } }] },
  });
  await api.call('flows.publish', { params: { id } });
  const { batchId } = await api.call('flows.run-on-record-type', {
    params: { id },
    body: { recordType: 'large' },
  });
  await goTo(page, `/runs/batches/${batchId}`);
  await page.getByText('1 of 1', { exact: true }).waitFor();
  const atMostMs = 200;
  const beginning = page.getByText(/of \d\.\d MB/).first();
  return [
    await longestTask(page, atMostMs, 'a record with an output of 4 MB is opened', async () => {
      await goTo(page, `/records/record/${record.id}`);
      await page.locator('summary', { hasText: 'Large' }).click();
      await beginning.waitFor();
    }),
    await longestTask(page, atMostMs, 'a batch with an output of 4 MB is opened', async () => {
      await goTo(page, `/runs/batches/${batchId}`);
      await page.getByRole('table', { name: 'Steps' }).getByText('xxx').first().waitFor();
    }),
    await longestTask(page, atMostMs, 'a flow with an output of 4 MB is tried', async () => {
      await goTo(page, `/flows/${id}/try`);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('The run succeeded').waitFor();
      await page.locator('summary', { hasText: 'Much' }).click();
      await beginning.waitFor();
    }),
  ];
}

/** Scrolls through the records of a type, page after page. */
export async function manyRecords(page: Page, { api }: BenchStack): Promise<Figure> {
  const rows = 10_000;
  for (let first = 0; first < records; first += rows) {
    const lines = Array.from({ length: rows }, (_, n) => `r${first + n},${n},${'text '.repeat(5)}`);
    const file = new Blob([['name,size,about', ...lines].join('\n')], { type: 'text/csv' });
    await api.call('records.upload-csv', {
      body: { file: file as never, nameColumn: 'name', typeValue: 'many' },
    });
  }
  return longestTask(
    page,
    100,
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
