import Big from 'big.js';
import { truncate } from '../../core/text.ts';
import { type PayloadRef, type PayloadStore, payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { StepResult, Wait } from '../engine/engine.ts';
import { type Checkpoint, checkpointEntity, formatRows, type KeptResult, parseRows } from './checkpoint.ts';
import { costWrites, type ModelUse, usesOf } from './record-costs.ts';

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

/** What a run writes on its way. */
export interface RunProgress {
  writes: readonly Write[];
  /** What the results in these writes add to the record's costs, which belongs into the same transaction. */
  uses: readonly ModelUse[];
}

/** The last write of a run, which whoever counts runs may take into a transaction of theirs. */
export interface RunEnding {
  write: Write;
  /** Whether it is the run's first write too. */
  isFirst: boolean;
  failed: boolean;
  /** USD of all its model calls, as decimal text. */
  cost: string;
  /** What the results in this write add to the record's costs, which belongs into the same transaction. */
  uses: readonly ModelUse[];
}

/** Together these keep a checkpoint below the 400 KB of an item: results of one, a value of a result, metadata. */
const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const resultBytes = 500;
const previewLength = 1_000;

/** Where a run's results go. */
export interface RunRecorder {
  add: (result: StepResult) => Promise<void>;
  /** Writes down what was added. */
  flush: () => Promise<void>;
  /** Writes down what was added, and that the run is parked. */
  park: (wait: Wait) => Promise<void>;
  /** The last results and how the run ended; null for well. */
  finish: (error: string | null) => Promise<void>;
}

export interface RunRecorderOptions {
  /** What an earlier attempt left. */
  earlier?: readonly Checkpoint[];
  /** Written with the first checkpoint, unless that is also the last. */
  opening?: Write;
  /** Commits what is written before the end; a transaction by itself without it. */
  commitProgress?: (progress: RunProgress) => Promise<void>;
}

/**
 * Writes a run's step results as it goes, each once: a checkpoint is refused when another worker has written
 * the same one, so of two workers on one record the second stops at its first write.
 */
export function openRunRecorder(
  scope: Scope,
  facts: RunFacts,
  commitEnd: (ending: RunEnding) => Promise<void>,
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

  async function writeDown(waiting?: Wait): Promise<void> {
    const write = await nextCheckpoint(waiting && { waiting });
    const alsoWrite = index === 0 && opening ? [opening] : [];
    await commitProgress({ writes: [write, ...alsoWrite], uses: usesOf(facts, pending) });
    index++;
    pending = [];
    pendingBytes = 0;
  }

  const flush = async () => {
    if (pending.length > 0) await writeDown();
  };

  return {
    flush,
    park: writeDown,

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
      const uses = usesOf(facts, pending);
      await commitEnd({ write, isFirst: index === 0, failed: error !== null, cost: cost.toFixed(), uses });
    },
  };
}

const commitAlone =
  ({ table }: Scope) =>
  ({ writes, uses }: RunProgress) =>
    table.commit([...writes, ...costWrites(table, uses)]);

const totalOf = (results: readonly Pick<KeptResult, 'estimatedCost'>[]) =>
  results.reduce((total, { estimatedCost }) => total.plus(estimatedCost ?? 0), new Big(0));

/** The last step of these checkpoints that asked a model with a prompt. */
const lastPromptOf = (checkpoints: readonly Checkpoint[]): string | null =>
  checkpoints
    .flatMap(({ results, rows }) => {
      const ids = parseRows(rows).map(([stepId]) => stepId);
      return results.flatMap(({ resolvedPrompt }, place) => (resolvedPrompt ? [ids[place] ?? null] : []));
    })
    .at(-1) ?? null;

/** What a result takes in its checkpoint, with all that goes without saying. */
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
    results.map((result) => keep(result, (part, value) => offload(`${result.path}-${part}`, value))),
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
  offload: (part: string, value: unknown) => Promise<PayloadRef>,
): Promise<KeptResult> {
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

/** The beginning of an output, as text: the one thing that is cut. */
export const previewOf = (output: unknown) =>
  truncate(typeof output === 'string' ? output : (JSON.stringify(output) ?? ''), previewLength);
