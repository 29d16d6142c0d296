import { unixSeconds } from '../../../core/time/unix-seconds.ts';
import { decode } from '../../../platform/data/entity.ts';
import { type PayloadStore, payloadStore } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StepResult } from '../../engine/engine.ts';
import { type Checkpoint, checkpointEntity, runRange, type StoredStepResult } from './checkpoint.ts';
import { parseRows, type ResultRow } from './rows.ts';

/** One day longer than the queue's message retention. */
const redeliverySeconds = 15 * 86_400;

/** Unix seconds until which a message may be redelivered. Until then it must be visible that the run is over. */
export const redeliveryExpiresAt = ({ now }: Scope) => unixSeconds(now()) + redeliverySeconds;

export async function readCheckpoints(
  { table }: Scope,
  run: Pick<Checkpoint, 'recordId' | 'runId'>,
): Promise<Checkpoint[]> {
  const items = await table.queryAll({ ...runRange(run), consistent: true });
  return items.map((item) => decode(checkpointEntity, item));
}

/** The step results of earlier attempts, by path. The engine resumes after them. */
export async function readStepResults(
  scope: Scope,
  checkpoints: readonly Checkpoint[],
): Promise<Map<string, StepResult>> {
  const payloads = payloadStore(scope);
  const results = await Promise.all(
    checkpoints.flatMap((checkpoint) => {
      const rows = parseRows(checkpoint);
      return checkpoint.results.map((result, index) => restore(payloads, result, rows[index]));
    }),
  );
  return new Map(results.map((result) => [result.path, result]));
}

/** What steps of earlier attempts have kept, by path, unless they have ended. */
export async function readKept(
  scope: Scope,
  checkpoints: readonly Checkpoint[],
  done: ReadonlyMap<string, StepResult>,
): Promise<Map<string, unknown>> {
  const payloads = payloadStore(scope);
  const open = checkpoints
    .flatMap(({ kept = {} }) => Object.entries(kept))
    .filter(([path]) => !done.has(path.split('#')[0] ?? ''));
  const read = open.map(async ([path, payloadRef]) => [path, await payloads.fetch(payloadRef)] as const);
  return new Map(await Promise.all(read));
}

async function restore(
  payloads: PayloadStore,
  stored: StoredStepResult,
  row: ResultRow | undefined,
): Promise<StepResult> {
  const {
    output,
    errors,
    resolvedPrompt: _prompt,
    preview: _preview,
    estimatedCost,
    request,
    ...rest
  } = stored;
  const [stepId, status, startedAt, durationMs] = row ?? ['', 'failed', 0, 0];
  return {
    ...(rest as Partial<StepResult>),
    path: stored.path,
    retryCount: stored.retryCount,
    stepId,
    status,
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    ...(output && { output: await payloads.fetch(output) }),
    ...(errors && { errors: (await payloads.fetch(errors)) as object[] }),
    ...(estimatedCost !== undefined && { estimatedCost }),
    ...(request !== undefined && { requestHash: request }),
  };
}
