import { setTimeout as sleep } from 'node:timers/promises';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Checkpoint, parseRows } from '../runs/checkpoint.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';
import type { Batch } from './batch.ts';
import { type ListedRecord, toRecordRunId } from './batch-plan.ts';
import type { BatchProgress } from './batch-progress.ts';
import { batchStore } from './batch-store.ts';

const waitMs = 20_000;

/** The end of a batch that its request waits for. */
export const smallBatches = /* @__PURE__ */ using([batchStore], (scope: Scope) => {
  const { now } = scope;
  const batches = batchStore(scope);
  return {
    /** Waits for a small batch to end. @returns undefined on timeout. */
    async waitForEnd(batch: Batch, signal: AbortSignal): Promise<BatchProgress | undefined> {
      const deadline = now().getTime() + waitMs;
      for (
        let pause = 20;
        now().getTime() < deadline && !signal.aborted;
        pause = Math.min(500, pause * 1.5)
      ) {
        const progress = await batches.settleBatch(batch);
        if (progress.status !== 'scheduled' && progress.status !== 'running') return progress;
        await sleep(pause);
      }
      return undefined;
    },

    results: (batch: Batch, records: readonly ListedRecord[]) =>
      Promise.all(
        records.map(async (record) => {
          const runId = toRecordRunId(batch, record.id);
          return toRecordResult(record, runId, await readCheckpoints(scope, { recordId: record.id, runId }));
        }),
      ),
  };
});

function toRecordResult(record: ListedRecord, executionId: string, checkpoints: readonly Checkpoint[]) {
  const end = checkpoints.at(-1)?.end;
  const results = checkpoints.flatMap(({ results }) => results);
  const [first] = checkpoints;
  const beganAt = first && parseRows(first)[0]?.[2];
  return {
    recordId: record.id,
    recordName: record.name,
    success: end?.status === 'completed',
    executionId,
    executionTime: end && beganAt ? Date.parse(end.at) - beganAt : 0,
    contextSteps: results.length,
    promptsExecuted: results.filter(({ modelUsed }) => modelUsed).length,
    ...(end?.error && { error: end.error }),
  };
}
