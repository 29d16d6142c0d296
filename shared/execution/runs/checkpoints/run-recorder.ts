import Big from 'big.js';
import { truncate } from '../../../core/text.ts';
import { type PayloadRef, type PayloadStore, payloadStore } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { StepResult, Wait } from '../../engine/engine.ts';
import {
  type Checkpoint,
  checkpointEntity,
  formatRows,
  parseRows,
  type StoredStepResult,
} from './checkpoint.ts';
import { costWrites, type ModelUse, modelUsesOf } from './record-costs.ts';

/** What all checkpoints of a run have in common. */
export type RunFacts = Omit<
  Checkpoint,
  | 'index'
  | 'results'
  | 'rows'
  | 'pointers'
  | 'recordMetadata'
  | 'end'
  | 'finished'
  | 'removed'
  | 'waiting'
  | 'flowName'
> & { recordMetadata: Record<string, unknown>; flowName: string };

/** The writes of a checkpoint before the end. */
export interface CheckpointWrite {
  writes: readonly Write[];
  /** The costs of the results in these writes. Commit them in the same transaction. */
  uses: readonly ModelUse[];
}

/** The last write of a run. The caller may add it to a transaction of its own, for example to count the run. */
export interface FinalWrite {
  write: Write;
  /** Whether it is also the first write of the run. */
  isFirst: boolean;
  failed: boolean;
  /** USD for all model calls of the run, as decimal text. */
  cost: string;
  /** The costs of the results in this write. Commit them in the same transaction. */
  uses: readonly ModelUse[];
}

/** These limits keep a checkpoint below the 400 KB of an item: all its results, one value of a result, the metadata. */
const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const resultBytes = 500;
const previewLength = 1_000;

/** Records the results of a run. */
export interface RunRecorder {
  add: (result: StepResult) => Promise<void>;
  /** Writes a checkpoint with the added results. */
  flush: () => Promise<void>;
  /** Writes a checkpoint with the added results, and that the run is suspended. */
  suspend: (wait: Wait) => Promise<void>;
  /** Writes the last checkpoint. @param error Null for a successful run. */
  finish: (error: string | null) => Promise<void>;
}

export interface RunRecorderOptions {
  /** The checkpoints of earlier attempts. */
  earlier?: readonly Checkpoint[];
  /** Written with the first checkpoint, unless that is also the last. */
  opening?: Write;
  /** Commits the checkpoints before the end. Default: one transaction each. */
  commitProgress?: (progress: CheckpointWrite) => Promise<void>;
}

/**
 * Writes each step result of a run once. The table rejects a checkpoint that another worker has already written, so of
 * two workers on one run the second stops at its first write.
 */
export function openRunRecorder(
  scope: Scope,
  facts: RunFacts,
  commitEnd: (ending: FinalWrite) => Promise<void>,
  { earlier = [], opening, commitProgress = commitAlone(scope) }: RunRecorderOptions = {},
): RunRecorder {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  let index = earlier.length;
  let cost = totalOf(earlier.flatMap(({ results }) => results));
  let promptStepId = lastPromptOf(earlier);
  let pending: StepResult[] = [];
  let pendingBytes = 0;

  async function nextCheckpoint(more: Partial<Checkpoint> = {}) {
    const checkpoint = await checkpointOf(payloads, facts, index, pending);
    return table.writes.insert(checkpointEntity, { ...checkpoint, ...more });
  }

  async function writeCheckpoint(waiting?: Wait): Promise<void> {
    const write = await nextCheckpoint(waiting && { waiting });
    const beside = index === 0 && opening ? [opening] : [];
    await commitProgress({ writes: [write, ...beside], uses: modelUsesOf(facts, pending) });
    index++;
    pending = [];
    pendingBytes = 0;
  }

  const flush = async () => {
    if (pending.length > 0) await writeCheckpoint();
  };

  return {
    flush,
    suspend: writeCheckpoint,

    async add(result) {
      cost = cost.plus(totalOf([result]));
      if (result.resolvedPrompt !== undefined) promptStepId = result.stepId;
      const bytes = sizeOf(result);
      if (pendingBytes + bytes > checkpointBytesMax) await flush();
      pending.push(result);
      pendingBytes += bytes;
    },

    async finish(error) {
      const status = error === null ? 'completed' : 'failed';
      const write = await nextCheckpoint({
        end: { status, error, at: now().toISOString() },
        finished: { status, promptStepId },
        flowName: facts.flowName,
      });
      const uses = modelUsesOf(facts, pending);
      await commitEnd({ write, isFirst: index === 0, failed: error !== null, cost: cost.toFixed(), uses });
    },
  };
}

const commitAlone =
  ({ table }: Scope) =>
  ({ writes, uses }: CheckpointWrite) =>
    table.commit([...writes, ...costWrites(table, uses)]);

const totalOf = (results: readonly Pick<StoredStepResult, 'estimatedCost'>[]) =>
  results.reduce((total, { estimatedCost }) => total.plus(estimatedCost ?? 0), new Big(0));

/** The last step in these checkpoints that called a model with a prompt. */
const lastPromptOf = (checkpoints: readonly Checkpoint[]): string | null =>
  checkpoints
    .flatMap(({ results, rows }) => {
      const ids = parseRows(rows).map(([stepId]) => stepId);
      return results.flatMap(({ resolvedPrompt }, place) => (resolvedPrompt ? [ids[place] ?? null] : []));
    })
    .at(-1) ?? null;

/** The size of a result in its checkpoint. */
const sizeOf = ({ output, resolvedPrompt = '', error = '' }: StepResult) =>
  Math.min(bytesOf(JSON.stringify(output) ?? ''), valueBytesMax) +
  Math.min(bytesOf(resolvedPrompt), valueBytesMax) +
  bytesOf(error) +
  resultBytes;
const bytesOf = (text: string) => Buffer.byteLength(text);

async function checkpointOf(
  payloads: PayloadStore,
  { recordMetadata, flowName: _flowName, ...facts }: RunFacts,
  index: number,
  results: readonly StepResult[],
): Promise<Checkpoint> {
  const offload = (part: string, value: unknown) =>
    payloads.offload(`runs/${facts.runId}/${part}`, value, valueBytesMax);
  const kept = await Promise.all(
    results.map((result) =>
      toStoredResult(result, (part, value) => offload(`${result.path}-${part}`, value)),
    ),
  );
  const metadata = index === 0 ? await offload('metadata', recordMetadata) : undefined;
  const payloadRef = [metadata, ...kept.flatMap(({ output, resolvedPrompt }) => [output, resolvedPrompt])];
  const pointers = payloadRef.flatMap((each) => (each && 'pointer' in each ? [each.pointer] : []));
  return {
    ...facts,
    index,
    ...(metadata && { recordMetadata: metadata }),
    results: kept,
    rows: formatRows(
      results.map(({ stepId, status, startedAt, durationMs }) => [
        stepId,
        status,
        Date.parse(startedAt),
        durationMs,
      ]),
    ),
    ...(pointers.length > 0 && { pointers }),
  };
}

async function toStoredResult(
  {
    path,
    retryCount,
    output,
    resolvedPrompt,
    error,
    modelUsed,
    promptTokens,
    completionTokens,
    estimatedCost,
  }: StepResult,
  offload: (part: string, value: unknown) => Promise<PayloadRef>,
): Promise<StoredStepResult> {
  const keptOutput = output === undefined ? undefined : await offload('output', output);
  const keptPrompt = resolvedPrompt === undefined ? undefined : await offload('prompt', resolvedPrompt);
  return {
    path,
    retryCount,
    ...(keptOutput && { output: keptOutput }),
    ...(keptOutput && 'pointer' in keptOutput && { preview: previewOf(output) }),
    ...(keptPrompt && { resolvedPrompt: keptPrompt }),
    ...(error !== undefined && { error }),
    ...(modelUsed !== undefined && { modelUsed, promptTokens, completionTokens, estimatedCost }),
  };
}

/** The beginning of an output, as text. */
export const previewOf = (output: unknown) =>
  truncate(typeof output === 'string' ? output : (JSON.stringify(output) ?? ''), previewLength);
