import { decode } from '../data/entity.ts';
import { type PayloadStore, payloadStore } from '../data/payloads.ts';
import type { StepResult } from '../flows/engine.ts';
import type { Scope } from '../runtime.ts';
import { type Checkpoint, checkpointEntity, type KeptResult, type Row } from './checkpoint.ts';

/** What an earlier attempt of a run has done, by the path of each step: the engine goes on after it. */
export async function earlierResults(
  scope: Scope,
  run: { recordId: string; runId: string; checkpoints: number },
): Promise<Map<string, StepResult>> {
  const payloads = payloadStore(scope);
  const checkpoints = await checkpointsOf(scope, run, run.checkpoints);
  const results = await Promise.all(
    checkpoints.flatMap(({ results, rows }) =>
      results.map((result, index) => restore(payloads, result, rows[index])),
    ),
  );
  return new Map(results.map((result) => [result.path, result]));
}

/** The first checkpoints of a run, in their order. */
export async function checkpointsOf(
  { table }: Scope,
  { recordId, runId }: { recordId: string; runId: string },
  count: number,
): Promise<Checkpoint[]> {
  const keys = Array.from({ length: count }, (_, index) =>
    checkpointEntity.key(table.tenant, { recordId, runId, index }),
  );
  const items = await table.getMany(keys, { consistent: true });
  return items.flatMap((item) => (item ? [decode(checkpointEntity, item)] : []));
}

async function restore(payloads: PayloadStore, kept: KeptResult, row: Row | undefined): Promise<StepResult> {
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
