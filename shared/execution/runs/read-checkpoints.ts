import type { Unmasked } from '../../core/redaction/hidden.ts';
import { unixSeconds } from '../../core/time.ts';
import { decode } from '../../platform/data/entity.ts';
import { type PayloadReader, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StepResult } from '../engine/engine.ts';
import {
  type Checkpoint,
  checkpointEntity,
  parseRows,
  type ResultRow,
  runRange,
  type StoredStepResult,
  sealedMark,
} from './checkpoint.ts';
import type { SealedValues } from './run-variables.ts';

/** One day longer than the queue's message retention. */
const redeliverySeconds = 15 * 86_400;

/** Unix seconds until which a message may be redelivered. Until then it must be visible that the run is over. */
export const getRedeliveryExpiry = ({ now }: Scope) => unixSeconds(now()) + redeliverySeconds;

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
  sealed?: SealedValues,
): Promise<Map<string, StepResult>> {
  const payloads = payloadReader(scope);
  const results = await Promise.all(
    checkpoints.flatMap((checkpoint) => {
      const rows = parseRows(checkpoint);
      return checkpoint.results.map(async (result, index) => ({
        ...(await restore(payloads, result, rows[index])),
        ...(await openUnmasked(scope, checkpoint, result, sealed)),
      }));
    }),
  );
  return new Map(results.map((result) => [result.path, result]));
}

/** What steps of earlier attempts have kept, by path, unless they have ended. */
export async function readKept(
  scope: Scope,
  checkpoints: readonly Checkpoint[],
  done: ReadonlyMap<string, StepResult>,
  sealed?: SealedValues,
): Promise<Map<string, unknown>> {
  const payloads = payloadReader(scope);
  const kept = checkpoints.flatMap(({ kept = {}, runId }) =>
    Object.entries(kept).map(([name, payloadRef]) => {
      const isSealed = name.endsWith(sealedMark);
      const path = isSealed ? name.slice(0, -sealedMark.length) : name;
      return { runId, path, isSealed, payloadRef };
    }),
  );
  const open = kept.filter(
    ({ path, isSealed }) => !done.has(path.split('#')[0] ?? '') && (sealed || !isSealed),
  );
  const read = open.map(async ({ runId, path, isSealed, payloadRef }) => {
    const value = await payloads.fetch(payloadRef);
    return [path, isSealed ? (await sealed?.open(String(value), runId))?.value : value] as const;
  });
  return new Map(await Promise.all(read));
}

/** The output that flows on, of a result that shows another one. */
export async function openUnmasked(
  scope: Scope,
  { runId }: Pick<Checkpoint, 'runId'>,
  { sealed: stored }: StoredStepResult,
  sealed: SealedValues | undefined,
): Promise<Unmasked> {
  if (!stored || !sealed) return {};
  return { unmasked: await sealed.open(String(await payloadReader(scope).fetch(stored)), runId) };
}

async function restore(
  payloads: PayloadReader,
  stored: StoredStepResult,
  row: ResultRow | undefined,
): Promise<StepResult> {
  const {
    output,
    errors,
    sealed: _sealed,
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
