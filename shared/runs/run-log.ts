import { type PayloadStore, payloadStore, type Stowed } from '../data/payloads.ts';
import type { StepResult } from '../flows/engine.ts';
import type { Scope } from '../runtime.ts';
import { type Checkpoint, checkpointEntity, formatRows, type KeptResult, type RunEnd } from './checkpoint.ts';
import type { CommitEnd } from './run-ends.ts';

/** What all checkpoints of a run have in common. */
export type RunFacts = Omit<
  Checkpoint,
  'index' | 'results' | 'rows' | 'pointers' | 'recordMetadata' | 'end'
> & {
  batchId: string;
  slot: number;
  recordMetadata: Record<string, unknown>;
};

/** Together these keep a checkpoint below the 400 KB of an item: results of one, a value of a result, metadata. */
const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const resultBytes = 500;
const previewLength = 1_000;

export type RunLog = ReturnType<typeof openRunLog>;

/**
 * Writes a run's step results as it goes, each once: a checkpoint is refused when another worker has written
 * the same one, so of two workers on one record the second stops at its first write.
 * @param written How many checkpoints an earlier attempt left.
 */
export function openRunLog(scope: Scope, facts: RunFacts, commitEnd: CommitEnd, written: number) {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  let index = written;
  let pending: StepResult[] = [];
  let pendingBytes = 0;

  async function nextCheckpoint(end?: RunEnd) {
    const checkpoint = await checkpointOf(payloads, facts, index, pending);
    return table.writes.insert(checkpointEntity, { ...checkpoint, ...(end && { end }) });
  }

  async function flush(): Promise<void> {
    if (pending.length === 0) return;
    await table.commit([await nextCheckpoint()]);
    index++;
    pending = [];
    pendingBytes = 0;
  }

  return {
    flush,

    async add(result: StepResult): Promise<void> {
      const bytes = sizeOf(result);
      if (pendingBytes + bytes > checkpointBytesMax) await flush();
      pending.push(result);
      pendingBytes += bytes;
    },

    /** The last results, the run's end and its batch's counter in one transaction. */
    async finish(error: string | null): Promise<void> {
      const status = error === null ? 'completed' : 'failed';
      const write = await nextCheckpoint({ status, error, at: now().toISOString() });
      const { batchId, slot } = facts;
      await commitEnd({ write, batchId, slot, failed: error !== null });
    },
  };
}

/** What a result takes in its checkpoint, with all that goes without saying. */
const sizeOf = ({ output, resolvedPrompt = '', error = '' }: StepResult) =>
  Math.min(bytesOf(JSON.stringify(output) ?? ''), valueBytesMax) +
  Math.min(bytesOf(resolvedPrompt), valueBytesMax) +
  bytesOf(error) +
  resultBytes;
const bytesOf = (text: string) => Buffer.byteLength(text);

async function checkpointOf(
  payloads: PayloadStore,
  { slot: _slot, recordMetadata, ...facts }: RunFacts,
  index: number,
  results: readonly StepResult[],
): Promise<Checkpoint> {
  const stow = (part: string, value: unknown) =>
    payloads.stow(`runs/${facts.runId}/${part}`, value, valueBytesMax);
  const kept = await Promise.all(
    results.map((result) => keep(result, (part, value) => stow(`${result.path}-${part}`, value))),
  );
  const metadata = index === 0 ? await stow('metadata', recordMetadata) : undefined;
  const stowed = [metadata, ...kept.flatMap(({ output, resolvedPrompt }) => [output, resolvedPrompt])];
  const pointers = stowed.flatMap((each) => (each && 'pointer' in each ? [each.pointer] : []));
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

async function keep(
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
  stow: (part: string, value: unknown) => Promise<Stowed>,
): Promise<KeptResult> {
  const keptOutput = output === undefined ? undefined : await stow('output', output);
  const keptPrompt = resolvedPrompt === undefined ? undefined : await stow('prompt', resolvedPrompt);
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

/** The beginning of an output, as text: the one thing that is cut. */
export const previewOf = (output: unknown) =>
  (typeof output === 'string' ? output : (JSON.stringify(output) ?? '')).slice(0, previewLength);
