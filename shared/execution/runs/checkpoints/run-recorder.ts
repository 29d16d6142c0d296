import Big from 'big.js';
import type { ModelCalls } from '../../../domain/model-usage/model-calls.ts';
import { payloadStore } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { StepResult, Wait } from '../../engine/engine.ts';
import { type Checkpoint, checkpointEntity, type StoredStepResult } from './checkpoint.ts';
import { checkpointBytesMax, checkpointOf, type RunFacts, sizeOf } from './encode-checkpoint.ts';
import { flushSoon } from './flush-soon.ts';
import { parseRows } from './rows.ts';
import { type RunSpending, spendingOf, spendingWrites } from './run-spending.ts';

export interface CheckpointWrite {
  writes: readonly Write[];
  /** The model calls of the results in these writes. Commit their counts in the same transaction. */
  spent: RunSpending;
  /** Whether the run waits for the commit. */
  isAwaited: boolean;
}

/** The last write of a run. The caller may add it to a transaction of its own, for example to count the run. */
export interface FinalWrite {
  write: Write;
  /** Whether it is also the first write of the run. */
  isFirst: boolean;
  failed: boolean;
  output: unknown;
  error: string | null;
  /** USD for all model calls of the run, as decimal text. */
  cost: string;
  /** The model calls of the results in this write. Commit their counts in the same transaction. */
  spent: RunSpending;
}

export interface RunRecorder {
  add: (result: StepResult) => Promise<void>;
  /** Counts model calls without a result, with the next checkpoint: of an attempt that is retried or was aborted. */
  spend: (calls: readonly ModelCalls[]) => void;
  flush: () => Promise<void>;
  /** Flushes within 50 ms, while the run goes on, unless it ends before. The next write reports a failure. */
  flushSoon: () => void;
  suspend: (wait: Wait) => Promise<void>;
  /** Writes the last checkpoint. @param error Null for a successful run. @param output Of a successful run. */
  finish: (error: string | null, output?: unknown) => Promise<void>;
}

export interface RunRecorderOptions {
  earlier?: readonly Checkpoint[];
  /** Written with the first checkpoint, unless that is also the last. */
  opening?: Write;
  /** Commits the checkpoints before the end. Default: one transaction each. */
  commitProgress?: (progress: CheckpointWrite) => Promise<void>;
}

/** The table rejects a checkpoint that exists, so of two workers on one run the second stops at its first write. */
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
  let pending = nothing();
  let written = Promise.resolve();

  /** What was added since the last checkpoint, from now on in the next one. */
  function take(): Pending {
    soon.stop();
    const taken = pending;
    pending = nothing();
    return taken;
  }

  async function writeOf(results: readonly StepResult[], more: Partial<Checkpoint> = {}) {
    const checkpoint = await checkpointOf(payloads, facts, index, results);
    return table.writes.insert(checkpointEntity, { ...checkpoint, ...more });
  }

  /** Checkpoints are written one after another: once one has failed, so do the later ones. */
  function writeCheckpoint(isAwaited: boolean, waiting?: Wait): Promise<void> {
    const { results, lost } = take();
    written = written.then(async () => {
      const write = await writeOf(results, waiting && { waiting });
      const beside = index === 0 && opening ? [opening] : [];
      await commitProgress({
        writes: [write, ...beside],
        spent: spendingOf(facts, results, lost),
        isAwaited,
      });
      index++;
    });
    return written;
  }

  const flush = (isAwaited: boolean) => (pending.results.length > 0 ? writeCheckpoint(isAwaited) : written);
  const soon = flushSoon(() => flush(false));

  return {
    flush: () => flush(true),
    flushSoon: soon.start,
    suspend: (wait) => writeCheckpoint(true, wait),

    spend(calls) {
      pending.lost.push(...calls);
      cost = calls.reduce((total, each) => total.plus(each.cost), cost);
    },

    async add(result) {
      cost = cost.plus(totalOf([result]));
      if (result.resolvedPrompt !== undefined) promptStepId = result.stepId;
      const bytes = sizeOf(result);
      if (pending.bytes + bytes > checkpointBytesMax) await flush(true);
      pending.results.push(result);
      pending.bytes += bytes;
    },

    async finish(error, output) {
      const { results, lost } = take();
      await written;
      const status = error === null ? 'completed' : 'failed';
      const write = await writeOf(results, {
        end: { status, error, at: now().toISOString() },
        finished: { status, promptStepId },
        flowName: facts.flowName,
      });
      const spent = spendingOf(facts, results, lost);
      const outcome = { failed: error !== null, output, error };
      await commitEnd({ write, isFirst: index === 0, ...outcome, cost: cost.toFixed(), spent });
    },
  };
}

interface Pending {
  results: StepResult[];
  bytes: number;
  /** Model calls without a result. */
  lost: ModelCalls[];
}
const nothing = (): Pending => ({ results: [], bytes: 0, lost: [] });

const commitAlone =
  (scope: Scope) =>
  ({ writes, spent }: CheckpointWrite) =>
    scope.table.commit([...writes, ...spendingWrites(scope, [spent])]);

const totalOf = (results: readonly Pick<StoredStepResult, 'estimatedCost'>[]) =>
  results.reduce((total, { estimatedCost }) => total.plus(estimatedCost ?? 0), new Big(0));

const lastPromptOf = (checkpoints: readonly Checkpoint[]): string | null =>
  checkpoints
    .flatMap((checkpoint) => {
      const ids = parseRows(checkpoint).map(([stepId]) => stepId);
      return checkpoint.results.flatMap(({ resolvedPrompt }, place) =>
        resolvedPrompt ? [ids[place] ?? null] : [],
      );
    })
    .at(-1) ?? null;
