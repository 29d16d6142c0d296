import { unixSeconds } from '../../../core/unix-seconds.ts';
import { decode } from '../../../platform/data/entity.ts';
import { type PayloadStore, payloadStore } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StepResult } from '../../engine/engine.ts';
import {
  type Checkpoint,
  checkpointEntity,
  parseRows,
  type Row,
  runRange,
  type StoredStepResult,
} from './checkpoint.ts';

/** A day longer than a queue keeps a message. */
const redeliverySeconds = 15 * 86_400;

/** Until when (in Unix seconds) a message may come again, whose run must then be seen to be over. */
export const redeliveryExpiresAt = ({ now }: Scope) => unixSeconds(now()) + redeliverySeconds;

/** A run as its checkpoints tell it. */
export async function readCheckpoints(
  { table }: Scope,
  run: Pick<Checkpoint, 'recordId' | 'runId'>,
): Promise<Checkpoint[]> {
  const items = await table.queryAll({ ...runRange(run), consistent: true });
  return items.map((item) => decode(checkpointEntity, item));
}

/** What an earlier attempt of a run has done, by the path of each step: the engine goes on after it. */
export async function readStepResults(
  scope: Scope,
  checkpoints: readonly Checkpoint[],
): Promise<Map<string, StepResult>> {
  const payloads = payloadStore(scope);
  const results = await Promise.all(
    checkpoints.flatMap((checkpoint) => {
      const rows = parseRows(checkpoint.rows);
      return checkpoint.results.map((result, index) => restore(payloads, result, rows[index]));
    }),
  );
  return new Map(results.map((result) => [result.path, result]));
}

async function restore(
  payloads: PayloadStore,
  kept: StoredStepResult,
  row: Row | undefined,
): Promise<StepResult> {
  const { output, resolvedPrompt: _prompt, preview: _preview, estimatedCost, ...rest } = kept;
  const [stepId, status, startedAt, durationMs] = row ?? ['', 'failed', 0, 0];
  return {
    ...(rest as Partial<StepResult>),
    path: kept.path,
    retryCount: kept.retryCount,
    stepId,
    status,
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    ...(output && { output: await payloads.fetch(output) }),
    ...(estimatedCost !== undefined && { estimatedCost }),
  };
}
