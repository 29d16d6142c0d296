import type { Unmasked } from '../../../core/redaction/hidden.ts';
import { keptPaths } from '../../../domain/flows/steps/run-path.ts';
import type { ModelCall } from '../../../domain/model-usage/model-calls.ts';
import {
  noTotals,
  plusTotals,
  type RunTotals,
  totalsOfCalls,
  totalsOfStep,
} from '../../../domain/runs/run-totals.ts';
import { mergedUse, type RunUse, runUse } from '../../../domain/runs/run-use.ts';
import { payloadWriter } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { StepResult } from '../../engine/engine.ts';
import { type Checkpoint, checkpointEntity } from './checkpoint.ts';
import {
  type CheckpointFacts,
  checkpointBytesMax,
  encodeCheckpoint,
  type Kept,
  resultSizeBytes,
  sizeOfKept,
} from './encode-checkpoint.ts';
import { flushSoon } from './flush-soon.ts';
import { parseRows } from './rows.ts';
import { type RunSpending, runSpending, spendingWrites } from './run-spending.ts';
import type { SealedValues } from './sealed-values.ts';
import { isSameWait, type StoredWait, storedWaits } from './waits.ts';

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
  /** ISO 8601. */
  at: string;
  /** Of the whole run. */
  totals: RunTotals;
  /** Since the start of its first step. */
  durationMs: number;
  /** The model calls of the results in this write. Commit their counts in the same transaction. */
  spent: RunSpending;
}

export interface RunRecorder {
  add: (result: StepResult) => Promise<void>;
  /** Counts model calls without a result, with the next checkpoint: of an attempt that is retried. */
  spend: (calls: readonly ModelCall[]) => void;
  /** Counts the model calls of a step that was aborted. If the run ends with it, it fails with the reason of the run. */
  interrupt: (step: StepResult) => void;
  flush: () => Promise<void>;
  /** Flushes within so many ms, while the run goes on, unless it ends before. The next write reports a failure. */
  flushSoon: (ms: number) => void;
  /** Stores what a step must know again when the run resumes with the next checkpoint, unless the step ends before it. */
  keep: (path: string, value: unknown, sealed: Unmasked) => void;
  /** The same, stored when it resolves. What is marked in the meantime is stored together. */
  mark: (path: string, value: unknown, sealed: Unmasked) => Promise<void>;
  /** @param before The waits in which the run was suspended before: suspended in the same ones, it writes nothing. */
  suspend: (waits: readonly StoredWait[], before: readonly StoredWait[]) => Promise<void>;
  /** Writes the last checkpoint. @param error Null for a successful run. @param output Of a successful run. */
  finish: (error: string | null, output?: unknown, errorCode?: string) => Promise<void>;
}

export interface RunRecorderOptions {
  earlier?: readonly Checkpoint[];
  /** How many earlier checkpoints there are, if not all of them can be read. */
  written?: number | undefined;
  /** Written with the first checkpoint, unless that is also the last. */
  opening?: Write;
  /** Of what runs the steps. */
  sealed?: Pick<SealedValues, 'seal'> | undefined;
  /** Commits the checkpoints before the end. Default: one transaction each. */
  commitProgress?: (progress: CheckpointWrite) => Promise<void>;
}

/** The table rejects a checkpoint that exists, so of two workers on one run the second stops at its first write. */
export function openRunRecorder(
  scope: Scope,
  facts: CheckpointFacts,
  commitEnd: (ending: FinalWrite) => Promise<void>,
  {
    earlier = [],
    written: count = earlier.length,
    opening,
    commitProgress = commitAlone(scope),
    sealed = runsNothing,
  }: RunRecorderOptions = {},
): RunRecorder {
  const { table, now } = scope;
  const payloads = payloadWriter(scope);
  let index = count;
  let totals = totalsOfCheckpoints(earlier);
  let beganAt = beganAtOf(earlier);
  let promptStepId = lastPromptOf(earlier);
  let pending = nothing();
  const interrupted: StepResult[] = [];
  let written = Promise.resolve();
  let marking: Promise<void> | undefined;

  /** What was added since the last checkpoint, from now on in the next one. */
  function take(): Pending {
    soon.stop();
    const taken = pending;
    pending = nothing();
    return taken;
  }

  async function writeOf({ results, kept }: Taken, more: Partial<Checkpoint> = {}) {
    const checkpoint = await encodeCheckpoint({ payloads, sealed }, facts, index, results, kept);
    return table.writes.insert(checkpointEntity, { ...checkpoint, ...more });
  }

  /** Checkpoints are written one after another: once one has failed, so do the later ones. */
  function writeCheckpoint(isAwaited: boolean, waits: readonly StoredWait[] = []): Promise<void> {
    const { results, kept, lost, use } = take();
    written = written.then(async () => {
      const waiting = waits.length > 0 && { waiting: storedWaits(waits) };
      const write = await writeOf({ results, kept }, { ...usedBy(use), ...waiting });
      const beside = index === 0 && opening ? [opening] : [];
      await commitProgress({
        writes: [write, ...beside],
        spent: runSpending(facts, results, lost),
        isAwaited,
      });
      index++;
    });
    return written;
  }

  function spend(calls: readonly ModelCall[]): void {
    const lost = totalsOfCalls(calls);
    pending.lost.push(...calls);
    pending.use = mergedUse(pending.use, lost.use);
    totals = plusTotals(totals, lost);
  }

  function keep(path: string, value: unknown, sealed: Unmasked): void {
    pending.kept.set(path, { value, ...sealed });
    pending.bytes += sizeOfKept(value);
  }

  const flush = (isAwaited: boolean) => (pending.results.length > 0 ? writeCheckpoint(isAwaited) : written);
  const soon = flushSoon(() => flush(false));

  return {
    flush: () => flush(true),
    flushSoon: soon.start,
    async suspend(waits, before) {
      await written;
      const isNew = pending.results.length > 0 || pending.lost.length > 0 || pending.kept.size > 0;
      if (isNew || !isSameWait(waits, before)) await writeCheckpoint(true, waits);
    },

    spend,
    keep,

    mark(path, value, sealed) {
      keep(path, value, sealed);
      marking ??= written.then(() => {
        marking = undefined;
        return writeCheckpoint(true);
      });
      return marking;
    },

    interrupt({ modelCalls = [], ...step }) {
      spend(modelCalls);
      interrupted.push(step);
    },

    async add(result) {
      beganAt ??= Date.parse(result.startedAt);
      const use = runUse(result.modelCalls ?? []);
      totals = plusTotals(totals, totalsOfStep(result, use));
      if (result.resolvedPrompt !== undefined) promptStepId = result.stepId;
      const bytes = resultSizeBytes(result);
      if (pending.bytes + bytes > checkpointBytesMax) await flush(true);
      pending.results.push(result);
      for (const path of keptPaths(result.path)) pending.kept.delete(path);
      pending.use = mergedUse(pending.use, use);
      pending.bytes += bytes;
    },

    async finish(error, output, errorCode) {
      if (error !== null) pending.results.push(...interrupted.map((step) => ({ ...step, error })));
      const { results, lost, use } = take();
      await written;
      const status = error === null ? 'completed' : 'failed';
      const at = now();
      const write = await writeOf(
        { results, kept: new Map() },
        {
          ...usedBy(use),
          end: { status, error, at: at.toISOString() },
          finished: { status, promptStepId, ...(errorCode !== undefined && { errorCode }) },
          flowName: facts.flowName,
        },
      );
      const spent = runSpending(facts, results, lost);
      const durationMs = Math.max(0, at.getTime() - (beganAt ?? at.getTime()));
      const outcome = { failed: error !== null, output, error, at: at.toISOString(), durationMs };
      await commitEnd({ write, isFirst: index === 0, ...outcome, totals, spent });
    },
  };
}

/** Whoever only ends a run has no results of its own. */
const runsNothing: Pick<SealedValues, 'seal'> = {
  seal() {
    throw new Error('A value of a secret cannot be stored here');
  },
};

interface Taken {
  results: readonly StepResult[];
  /** What steps keep, by path. */
  kept: ReadonlyMap<string, Kept>;
}

interface Pending extends Taken {
  results: StepResult[];
  kept: Map<string, Kept>;
  bytes: number;
  /** Model calls without a result. */
  lost: ModelCall[];
  /** Of these and of the results. */
  use: RunUse;
}
const nothing = (): Pending => ({ results: [], kept: new Map(), bytes: 0, lost: [], use: {} });

const commitAlone =
  (scope: Scope) =>
  ({ writes, spent }: CheckpointWrite) =>
    scope.table.commit([...writes, ...spendingWrites(scope, [spent])]);

const totalsOfCheckpoints = (checkpoints: readonly Checkpoint[]): RunTotals =>
  checkpoints
    .flatMap((checkpoint) => {
      const rows = parseRows(checkpoint);
      const ofSteps = checkpoint.results.map((result, place) =>
        totalsOfStep({ ...result, stepId: rows[place]?.[0] }),
      );
      return [...ofSteps, totalsOfStep({}, checkpoint.use)];
    })
    .reduce(plusTotals, noTotals);

const beganAtOf = ([first]: readonly Checkpoint[]): number | undefined => first && parseRows(first)[0]?.[2];

const usedBy = (use: RunUse): Pick<Checkpoint, 'use'> => (Object.keys(use).length > 0 ? { use } : {});

const lastPromptOf = (checkpoints: readonly Checkpoint[]): string | null =>
  checkpoints
    .flatMap((checkpoint) => {
      const ids = parseRows(checkpoint).map(([stepId]) => stepId);
      return checkpoint.results.flatMap(({ resolvedPrompt }, place) =>
        resolvedPrompt ? [ids[place] ?? null] : [],
      );
    })
    .at(-1) ?? null;
