import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient } from '../../packages/client/src/client.ts';

export type LoadApi = Pick<ReturnType<typeof createClient>, 'call'>;

const pollMs = 500;
const patienceMs = 300_000;

/** Waits until all batches are over. @returns how many records ran, and how many a second. */
export async function waitForBatches({ call }: LoadApi, batchIds: readonly string[]): Promise<string> {
  const began = Date.now();
  let records = 0;
  for (const [index, id] of batchIds.entries()) {
    for (;;) {
      const { completedAt, successCount } = await call('batches.status', { params: { id } });
      if (completedAt !== undefined) {
        records += successCount;
        break;
      }
      if (Date.now() > began + patienceMs)
        return `${batchIds.length - index} of ${batchIds.length} batches are not over after ${patienceMs / 1_000} s`;
      await sleep(pollMs);
    }
  }
  const seconds = (Date.now() - began) / 1_000;
  return `${records} records ran in ${batchIds.length} batches; the last ended ${seconds.toFixed(1)} s after the last request`;
}
