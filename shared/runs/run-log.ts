import { type PayloadStore, payloadStore, type Stowed } from '../data/payloads.ts';
import type { Write } from '../data/writes.ts';
import type { StepResult } from '../flows/engine.ts';
import type { Scope } from '../runtime.ts';
import { type RecordRun, recordRunEntity, type SlotKey, slotEntity } from './batch.ts';
import { type Checkpoint, checkpointEntity, type KeptResult } from './checkpoint.ts';

/** What all checkpoints of a run have in common. */
export type RunFacts = Omit<Checkpoint, 'index' | 'results' | 'rows' | 'pointers' | 'recordMetadata'> & {
  batchId: string;
  slot: number;
  recordMetadata: Record<string, unknown>;
};

/** Together these keep a checkpoint below the 400 KB of an item: results of one, a value of a result, metadata. */
const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const previewLength = 1_000;

export type RunLog = ReturnType<typeof openRunLog>;

/**
 * Writes a run's step results as it goes, each once: a checkpoint is refused when another worker has written
 * the same one, so of two workers on one record the second stops at its first write.
 */
export function openRunLog(scope: Scope, facts: RunFacts, before: RecordRun | undefined) {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  const startedAt = before?.startedAt ?? now().toISOString();
  const counts = { steps: before?.stepCount ?? 0, prompts: before?.promptCount ?? 0 };
  let written = before?.checkpoints ?? 0;
  let pending: StepResult[] = [];
  let pendingBytes = 0;

  async function writesOf(run: Pick<RecordRun, 'status' | 'completedAt' | 'error'>): Promise<Write[]> {
    const { batchId, slot, recordId, recordName, runId } = facts;
    const checkpoint = pending.length > 0 ? await checkpointOf(payloads, facts, written, pending) : undefined;
    const set = {
      ...(written === 0 && { recordId, recordName, runId, startedAt }),
      ...run,
      checkpoints: written + (checkpoint ? 1 : 0),
      stepCount: counts.steps,
      promptCount: counts.prompts,
    };
    const unclaimed =
      written === 0
        ? { expression: 'attribute_not_exists(PK)' }
        : {
            expression: '#checkpoints = :written AND #runId = :runId AND #status = :running',
            values: { written, runId, running: 'running' },
          };
    return [
      table.writes.update(recordRunEntity, { batchId, slot, recordId }, { set }, unclaimed),
      ...(checkpoint ? [table.writes.insert(checkpointEntity, checkpoint)] : []),
    ];
  }

  async function commit(writes: Write[]): Promise<void> {
    await table.commit(writes);
    if (pending.length > 0) written++;
    pending = [];
    pendingBytes = 0;
  }

  const flush = async () => commit(await writesOf({ status: 'running', completedAt: null, error: null }));

  return {
    get hasPending() {
      return pending.length > 0;
    },
    flush,

    async add(result: StepResult): Promise<void> {
      const bytes = sizeOf(result);
      if (pending.length > 0 && pendingBytes + bytes > checkpointBytesMax) await flush();
      pending.push(result);
      pendingBytes += bytes;
      counts.steps++;
      if (result.modelUsed) counts.prompts++;
    },

    /** The last results, the run's end and its batch's counter in one transaction: counted exactly once. */
    async finish(error: string | null): Promise<void> {
      const completedAt = now().toISOString();
      const { batchId, slot } = facts;
      const run = {
        status: error === null ? ('completed' as const) : ('failed' as const),
        completedAt,
        error,
      };
      await commit([
        ...(await writesOf(run)),
        countRecord(scope, { batchId, slot }, error !== null, completedAt),
      ]);
    },
  };
}

/** Adds one record to its slot's counters. */
export const countRecord = ({ table }: Scope, key: SlotKey, failed: boolean, at: string): Write =>
  table.writes.update(slotEntity, key, {
    add: { processed: 1, failed: failed ? 1 : 0 },
    set: { lastAt: at },
  });

const sizeOf = ({ output, resolvedPrompt = '' }: StepResult) =>
  Math.min(bytesOf(JSON.stringify(output) ?? ''), valueBytesMax) +
  Math.min(bytesOf(resolvedPrompt), valueBytesMax);
const bytesOf = (text: string) => Buffer.byteLength(text);

async function checkpointOf(
  payloads: PayloadStore,
  { slot: _slot, recordMetadata, ...facts }: RunFacts,
  index: number,
  results: readonly StepResult[],
): Promise<Checkpoint> {
  const name = (part: string) => `runs/${facts.runId}/${part}`;
  const kept = await Promise.all(
    results.map((result) =>
      keep(result, (part, value) => payloads.stow(name(`${result.path}-${part}`), value, valueBytesMax)),
    ),
  );
  const metadata =
    index === 0 ? await payloads.stow(name('metadata'), recordMetadata, valueBytesMax) : undefined;
  const stowed = [metadata, ...kept.flatMap(({ output, resolvedPrompt }) => [output, resolvedPrompt])];
  const pointers = stowed.flatMap((each) => (each && 'pointer' in each ? [each.pointer] : []));
  return {
    ...facts,
    index,
    ...(metadata && { recordMetadata: metadata }),
    results: kept,
    rows: results.map(({ stepId, status, startedAt, durationMs }) => [
      stepId,
      status,
      Date.parse(startedAt),
      durationMs,
    ]),
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
