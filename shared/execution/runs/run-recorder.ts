/**
 * Records a run of a flow: gathers the results of its steps and writes them as checkpoints, the last of which ends the
 * run.
 * A checkpoint has the results since the one before, what steps keep for a resumption, and the model calls of both. It
 * is written when the run flushes, waits, marks an act or ends, and before one would exceed `checkpointBytesMax`.
 * Checkpoints are written one after another; once one fails, so do the later ones.
 * Each write carries its spending (`spending.ts`): commit both in one transaction, so that a call is counted once. The
 * last write goes to `commitEnd`, whose caller adds what belongs to the end (counters of a batch, listing,
 * notifications).
 * The table refuses a checkpoint that exists: of two processes that run the same run, the second fails at its first
 * write. A crash loses what was gathered; the next process resumes after the last checkpoint and runs those steps again.
 * Callers: `record-runs/run-record.ts` and `dispatch/dispatch-recorder.ts`. Values of secrets are stored encrypted only
 * (`run-variables.ts`).
 */
import { delayFlush } from '../../core/concurrency/gather.ts';
import type { Note } from '../../core/note.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import { truncate } from '../../core/text.ts';
import { listKeptPaths } from '../../domain/flows/steps/run-path.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import {
  addTotals,
  mergeUse,
  noTotals,
  type RunTotals,
  type RunUse,
  runUse,
  totalsOfCalls,
  totalsOfStep,
} from '../../domain/runs/run-use.ts';
import { type PayloadRef, type PayloadWriter, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { StepResult } from '../engine/engine.ts';
import {
  type Checkpoint,
  checkpointEntity,
  formatRows,
  isSameWait,
  parseRows,
  type StoredStepResult,
  type StoredWait,
  sealedMark,
  toStoredWaits,
} from './checkpoint.ts';
import type { SealedValues } from './run-variables.ts';
import { type RunSpending, toModelUses, toRunSpending, toSpendingWrites } from './spending.ts';

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

interface RunRecorderOptions {
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
  let totals = sumCheckpoints(earlier);
  let beganAt = findStart(earlier);
  let promptStepId = findLastPrompt(earlier);
  let pending = createPending();
  const interrupted: StepResult[] = [];
  let written = Promise.resolve();
  let marking: Promise<void> | undefined;

  /** What was added since the last checkpoint, from now on in the next one. */
  function takePending(): Pending {
    soon.stop();
    const taken = pending;
    pending = createPending();
    return taken;
  }

  async function encodeWrite({ results, kept }: Taken, more: Partial<Checkpoint> = {}) {
    const checkpoint = await encodeCheckpoint({ payloads, sealed }, facts, index, results, kept);
    return table.writes.insert(checkpointEntity, { ...checkpoint, ...more });
  }

  /** Checkpoints are written one after another: once one has failed, so do the later ones. */
  function writeCheckpoint(isAwaited: boolean, waits: readonly StoredWait[] = []): Promise<void> {
    const { results, kept, lost, use } = takePending();
    written = written.then(async () => {
      const waiting = waits.length > 0 && { waiting: toStoredWaits(waits) };
      const write = await encodeWrite({ results, kept }, { ...toUseMember(use), ...waiting });
      const beside = index === 0 && opening ? [opening] : [];
      await commitProgress({
        writes: [write, ...beside],
        spent: toRunSpending(facts, results, lost),
        isAwaited,
      });
      index++;
    });
    return written;
  }

  function spend(calls: readonly ModelCall[]): void {
    const lost = totalsOfCalls(calls);
    pending.lost.push(...calls);
    pending.use = mergeUse(pending.use, lost.use);
    totals = addTotals(totals, lost);
  }

  function keep(path: string, value: unknown, sealed: Unmasked): void {
    pending.kept.set(path, { value, ...sealed });
    pending.bytes += estimateKeptBytes(value);
  }

  const flush = (isAwaited: boolean) => (pending.results.length > 0 ? writeCheckpoint(isAwaited) : written);
  const soon = delayFlush(() => flush(false));

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
      totals = addTotals(totals, totalsOfStep(result, use));
      if (result.resolvedPrompt !== undefined) promptStepId = result.stepId;
      const bytes = estimateResultBytes(result);
      if (pending.bytes + bytes > checkpointBytesMax) await flush(true);
      pending.results.push(result);
      for (const path of listKeptPaths(result.path)) pending.kept.delete(path);
      pending.use = mergeUse(pending.use, use);
      pending.bytes += bytes;
    },

    async finish(error, output, errorCode) {
      if (error !== null) pending.results.push(...interrupted.map((step) => ({ ...step, error })));
      const { results, lost, use } = takePending();
      await written;
      const status = error === null ? 'completed' : 'failed';
      const at = now();
      const write = await encodeWrite(
        { results, kept: new Map() },
        {
          ...toUseMember(use),
          end: { status, error, at: at.toISOString() },
          finished: { status, promptStepId, ...(errorCode !== undefined && { errorCode }) },
          flowName: facts.flowName,
        },
      );
      const spent = toRunSpending(facts, results, lost);
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
const createPending = (): Pending => ({ results: [], kept: new Map(), bytes: 0, lost: [], use: {} });

const commitAlone =
  (scope: Scope) =>
  ({ writes, spent }: CheckpointWrite) =>
    scope.table.commit([...writes, ...toSpendingWrites(scope, [spent])]);

const sumCheckpoints = (checkpoints: readonly Checkpoint[]): RunTotals =>
  checkpoints
    .flatMap((checkpoint) => {
      const rows = parseRows(checkpoint);
      const ofSteps = checkpoint.results.map((result, place) =>
        totalsOfStep({ ...result, stepId: rows[place]?.[0] }),
      );
      return [...ofSteps, totalsOfStep({}, checkpoint.use)];
    })
    .reduce(addTotals, noTotals);

const findStart = ([first]: readonly Checkpoint[]): number | undefined => first && parseRows(first)[0]?.[2];

const toUseMember = (use: RunUse): Pick<Checkpoint, 'use'> => (Object.keys(use).length > 0 ? { use } : {});

const findLastPrompt = (checkpoints: readonly Checkpoint[]): string | null =>
  checkpoints
    .flatMap((checkpoint) => {
      const ids = parseRows(checkpoint).map(([stepId]) => stepId);
      return checkpoint.results.flatMap(({ resolvedPrompt }, place) =>
        resolvedPrompt ? [ids[place] ?? null] : [],
      );
    })
    .at(-1) ?? null;

export type CheckpointFacts = Omit<
  Checkpoint,
  | 'index'
  | 'results'
  | 'rows'
  | 'pointers'
  | 'models'
  | 'use'
  | 'recordMetadata'
  | 'input'
  | 'end'
  | 'finished'
  | 'removed'
  | 'waiting'
  | 'kept'
  | 'flowName'
> & { recordMetadata: Record<string, unknown>; flowName: string; input?: unknown };

/** These limits keep a checkpoint below the 400 KB of an item: all its results, one value of a result, the metadata. */
const checkpointBytesMax = 150_000;
const valueBytesMax = 90_000;
const resultBytes = 500;
const previewLength = 1_000;

/** Several steps may keep something before a result is written. */
const keptBytesMax = 5_000;

/** What a step keeps, in place of which a sealed one is stored if it has values of secrets. */
interface Kept extends Unmasked {
  value: unknown;
}

const estimateResultBytes = ({
  output,
  unmasked,
  resolvedPrompt = '',
  error = '',
  errors = [],
  attempts = [],
  notes = [],
  warnings = [],
}: StepResult) =>
  Math.min(countBytes(JSON.stringify(output) ?? ''), valueBytesMax) +
  (unmasked ? Math.min(2 * countBytes(JSON.stringify(unmasked.value)), valueBytesMax) : 0) +
  Math.min(countBytes(JSON.stringify(errors)), valueBytesMax) +
  Math.min(countBytes(resolvedPrompt), valueBytesMax) +
  countBytes(error) +
  countBytes(JSON.stringify([attempts, notes, warnings])) +
  resultBytes;
const countBytes = (text: string) => Buffer.byteLength(text);
const estimateKeptBytes = (value: unknown) => Math.min(countBytes(JSON.stringify(value)), keptBytesMax);

async function encodeCheckpoint(
  { payloads, sealed: { seal } }: { payloads: PayloadWriter; sealed: Pick<SealedValues, 'seal'> },
  { recordMetadata, input, flowName: _flowName, startedIn, identity, start, ...facts }: CheckpointFacts,
  index: number,
  results: readonly StepResult[],
  keptValues: ReadonlyMap<string, Kept> = new Map(),
): Promise<Checkpoint> {
  const sealUnmasked = ({ unmasked }: Unmasked) => unmasked && seal(unmasked, facts.runId);
  const offload = (part: string, value: unknown, bytesMax = valueBytesMax) =>
    payloads.offload(`runs/${facts.runId}/${part}`, value, bytesMax);
  const kept = await Promise.all(
    [...keptValues].map(
      async ([path, { value, ...hidden }]) =>
        [
          hidden.unmasked ? `${path}${sealedMark}` : path,
          await offload(`${path}-kept`, (await sealUnmasked(hidden)) ?? value, keptBytesMax),
        ] as const,
    ),
  );
  const stored = await Promise.all(
    results.map(async (result) =>
      toStoredResult(result, await sealUnmasked(result), (part, value) =>
        offload(`${result.path}-${part}`, value),
      ),
    ),
  );
  const metadata = index === 0 ? await offload('metadata', recordMetadata) : undefined;
  const inputRef = index === 0 && input !== undefined ? await offload('input', input) : undefined;
  const payloadRefs = [
    metadata,
    inputRef,
    ...stored.flatMap(({ output, sealed, resolvedPrompt, errors }) => [
      output,
      sealed,
      resolvedPrompt,
      errors,
    ]),
    ...kept.map(([, payloadRef]) => payloadRef),
  ];
  const pointers = payloadRefs.flatMap((each) => (each && 'pointer' in each ? [each.pointer] : []));
  const models = new Set(toModelUses(facts, stored).map(({ model }) => model));
  return {
    ...facts,
    index,
    ...(metadata && { recordMetadata: metadata }),
    ...(inputRef && { input: inputRef }),
    ...(index === 0 && startedIn !== undefined && { startedIn }),
    ...(index === 0 && identity !== undefined && { identity }),
    ...(index === 0 && start !== undefined && { start }),
    ...(kept.length > 0 && { kept: Object.fromEntries(kept) }),
    results: stored,
    rows: formatRows(
      facts.runId,
      results.map(({ stepId, status, startedAt, durationMs }) => [
        stepId,
        status,
        Date.parse(startedAt),
        durationMs,
      ]),
    ),
    ...(pointers.length > 0 && { pointers }),
    ...(models.size > 0 && { models: [...models] }),
  };
}

async function toStoredResult(
  {
    path,
    retryCount,
    attempts,
    output,
    resolvedPrompt,
    error,
    errorCode,
    modelUsed,
    promptTokens,
    completionTokens,
    cachedTokens,
    reasoningTokens,
    estimatedCost,
    requestHash,
    reusedFrom,
    savedCost,
    cacheSavings,
    notes,
    warnings,
    errors,
    isSum,
  }: StepResult,
  sealed: string | undefined,
  offload: (part: string, value: unknown) => Promise<PayloadRef>,
): Promise<StoredStepResult> {
  const storedOutput = output === undefined ? undefined : await offload('output', output);
  const storedSealed = sealed === undefined ? undefined : await offload('sealed', sealed);
  const storedErrors = errors === undefined ? undefined : await offload('errors', errors);
  const storedPrompt = resolvedPrompt === undefined ? undefined : await offload('prompt', resolvedPrompt);
  return {
    path,
    retryCount,
    ...(attempts && { attempts }),
    ...(storedOutput && { output: storedOutput }),
    ...(storedOutput && 'pointer' in storedOutput && { preview: shortOutput(output) }),
    ...(storedSealed && { sealed: storedSealed }),
    ...(storedPrompt && { resolvedPrompt: storedPrompt }),
    ...(error !== undefined && { error }),
    ...(errorCode !== undefined && { errorCode }),
    ...(modelUsed !== undefined && { modelUsed }),
    ...((modelUsed !== undefined || isSum) &&
      omitUndefined({ promptTokens, completionTokens, estimatedCost })),
    ...(isSum && omitUndefined({ isSum, savedCost })),
    ...(storedErrors && { errors: storedErrors }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(requestHash !== undefined && { request: requestHash }),
    ...(reusedFrom && { reusedFrom, savedCost }),
    ...(cacheSavings !== undefined && { cacheSavings }),
    ...(notes && { notes: compactNotes(notes, modelUsed !== undefined) }),
    ...(warnings && { warnings: [...warnings] }),
  };
}

/** Without the members that are undefined. */
const omitUndefined = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Members>;

export const shortOutput = (output: unknown) =>
  truncate(typeof output === 'string' ? output : (JSON.stringify(output) ?? ''), previewLength);

/** The only model call of a step without what its result says of it. */
const compactNotes = ([first, ...others]: readonly Note[], hasModel: boolean): Note[] => {
  if (!first) return [];
  if (!hasModel || first.k !== 'm' || first.st !== undefined || others.length > 0) return [first, ...others];
  const { n: _model, u: [_input, _output, ...more] = [], c: _cost, ...rest } = first;
  return [{ ...rest, ...(more.some((tokens) => tokens > 0) && { u: [0, 0, ...more] }) }];
};
