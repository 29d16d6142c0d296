import { decode } from '../../platform/data/entity.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { runWaitEntity, waitsPartition } from './run-wait.ts';

/** Whether a run waits for a person. A callback is no question: another system sends it. */
export async function hasOpenQuestion(table: TenantTable, runId: string): Promise<boolean> {
  const items = await table.queryAll({ partition: waitsPartition(runId), consistent: true });
  return items
    .map((item) => decode(runWaitEntity, item))
    .some(({ kind, answer }) => kind === 'approval' && answer === undefined);
}
