/**
 * Results of earlier runs of a flow on the same record, which a run takes instead of paying again.
 * Two uses: with `reuse`, the newest completed result whose request has the same hash replaces a step; with `continues`,
 * a retry takes over all results of the newest run in its chain up to its last completed step, what that run kept, and
 * its identity (for Idempotency-Keys).
 * `readEarlier` is begun beside the other reads of a run; at most `pagesMax` pages are read, and results before these
 * are made again. Taken results cost 0 and say what was saved.
 */
import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import { actPath, holderPath, turnsPath } from '../../domain/flows/steps/run-path.ts';
import { decode } from '../../platform/data/entity.ts';
import { type PayloadRef, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StoredItem } from '../../platform/data/table.ts';
import type { EarlierOutcome, EarlierResults, ResultSource, StepResult } from '../engine/engine.ts';
import {
  type Checkpoint,
  checkpointEntity,
  parseRows,
  type ResultRow,
  recordResultsRange,
  type StoredStepResult,
} from './checkpoint.ts';
import { openUnmasked, readKept, readStepResults } from './read-checkpoints.ts';
import type { SealedValues } from './run-variables.ts';

/** What a run takes from the earlier ones of its flow on the same record. */
export interface Earlier {
  /** Results of equal requests stand in for steps. Without it, none do. */
  reuse?: { maxAgeDays?: number | undefined } | undefined;
  /** The batches whose newest run of the record goes on after its last completed step. */
  continues?: readonly string[] | undefined;
}

/** Each of up to 1 MB. Results before these are made again (D61). */
const pagesMax = 2;
const dayMs = 86_400_000;

/** The stored results of a record, newest run first. Begin it beside the other reads of a run. */
export async function readEarlier({ table }: Scope, recordId: string): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  const range = { ...recordResultsRange(recordId), newestFirst: true, consistent: true };
  let pages = 0;
  for await (const page of table.pages(range)) {
    items.push(...page);
    if (++pages === pagesMax) break;
  }
  return items;
}

/** @param items Of `readEarlier`. @param run The one that takes them. */
export async function findEarlierResults(
  scope: Scope,
  items: readonly StoredItem[],
  run: { runId: string; flowId: string },
  { reuse, continues = [] }: Earlier,
  sealed?: SealedValues,
): Promise<EarlierResults> {
  const ofFlow = items.filter(({ SK, summary }) => {
    const { flowId } = summary as { flowId?: string };
    return flowId === run.flowId && parseRunId(SK) !== run.runId;
  });
  const newest = await findNewestRun(scope, ofFlow, continues, sealed);
  const taken = newest ? toContinuedResults(scope, newest) : new Map<string, StepResult>();
  const since = reuse?.maxAgeDays === undefined ? 0 : scope.now().getTime() - reuse.maxAgeDays * dayMs;
  const stored = reuse && openResultFinder(ofFlow);
  return {
    continued: newest && {
      identity: newest.identity,
      kept: await readOpenKept(scope, newest, taken, sealed),
    },
    at: (path) => taken.get(path),
    inside: (path) => [...taken.values()].filter((result) => result.path.startsWith(`${path}.`)),
    async findByRequest(stepId, hashes) {
      const found = stored?.(({ row, kept }) => isSame(row, kept, { stepId, hashes, since }));
      return found && loadOutcome(scope, found, sealed);
    },
  };
}

const isSame = (
  [id, status, startedAt, durationMs]: ResultRow,
  { request }: StoredStepResult,
  { stepId, hashes, since }: { stepId: string; hashes: readonly string[]; since: number },
) =>
  id === stepId &&
  status === 'completed' &&
  request !== undefined &&
  hashes.includes(request) &&
  startedAt + durationMs >= since;

interface Stored {
  checkpoint: Checkpoint;
  kept: StoredStepResult;
  row: ResultRow;
}

/** Finds the newest result that fits, and decodes no more items than that takes. */
function openResultFinder(items: readonly StoredItem[]) {
  const decoded: Stored[] = [];
  let next = 0;
  const decodeMore = (): boolean => {
    const item = items[next++];
    if (item) decoded.push(...listResults(decode(checkpointEntity, item)).reverse());
    return item !== undefined;
  };
  return (fits: (stored: Stored) => boolean): Stored | undefined => {
    for (let index = 0; index < decoded.length || decodeMore(); ) {
      const stored = decoded[index];
      if (!stored) continue;
      if (fits(stored)) return stored;
      index++;
    }
    return undefined;
  };
}

const listResults = (checkpoint: Checkpoint): Stored[] => {
  const rows = parseRows(checkpoint);
  return checkpoint.results.flatMap((kept, place) => {
    const row = rows[place];
    return row ? [{ checkpoint, kept, row }] : [];
  });
};

async function loadOutcome(
  scope: Scope,
  { checkpoint, kept }: Stored,
  sealed: SealedValues | undefined,
): Promise<EarlierOutcome> {
  const payloads = payloadReader(scope);
  const fetchPayload = (payload: PayloadRef | undefined) => payload && payloads.fetch(payload);
  const [output, resolvedPrompt, unmasked] = await Promise.all([
    fetchPayload(kept.output),
    fetchPayload(kept.resolvedPrompt),
    openUnmasked(scope, checkpoint, kept, sealed),
  ]);
  return {
    output,
    ...unmasked,
    ...(typeof resolvedPrompt === 'string' && { resolvedPrompt }),
    requestHash: kept.request ?? '',
    ...toReuseFacts(checkpoint, kept),
  };
}

/** Instead of the costs of the result itself. */
const toReuseFacts = (checkpoint: Pick<Checkpoint, 'runId' | 'batchId'>, kept: StoredStepResult) => ({
  reusedFrom: toResultSource(checkpoint, kept.path),
  estimatedCost: '0' as const,
  savedCost: kept.reusedFrom ? (kept.savedCost ?? null) : (kept.estimatedCost ?? null),
});

const toResultSource = (
  { runId, batchId }: Pick<Checkpoint, 'runId' | 'batchId'>,
  path: string,
): ResultSource => ({
  resultId: toStepResultId(runId, path),
  runId: batchId ?? runId,
});

export const toStepResultId = (runId: string, place: string | number) =>
  deriveId('step', getIdTimeMs(runId), runId, place);

interface ContinuedRun {
  identity: string;
  checkpoints: Checkpoint[];
  results: ReadonlyMap<string, StepResult>;
}

/** The newest run of the record in these batches. */
async function findNewestRun(
  scope: Scope,
  items: readonly StoredItem[],
  batchIds: readonly string[],
  sealed: SealedValues | undefined,
): Promise<ContinuedRun | undefined> {
  const isOfBatch = ({ summary }: StoredItem) =>
    batchIds.includes((summary as { batchId?: string }).batchId ?? '');
  const newest = items.find(isOfBatch);
  if (!newest) return undefined;
  const checkpoints = items
    .filter(({ SK }) => parseRunId(SK) === parseRunId(newest.SK))
    .reverse()
    .map((item) => decode(checkpointEntity, item));
  const [{ identity = undefined, runId = '' } = {}] = checkpoints;
  return {
    identity: identity ?? runId,
    checkpoints,
    results: await readStepResults(scope, checkpoints, sealed),
  };
}

/** What its steps have called, and which may have acted, unless their outcome is known. */
async function readOpenKept(
  scope: Scope,
  { checkpoints, results }: ContinuedRun,
  taken: ReadonlyMap<string, StepResult>,
  sealed: SealedValues | undefined,
): Promise<ReadonlyMap<string, unknown>> {
  const kept = await readKept(scope, checkpoints, taken, sealed);
  const isOpen = ([at]: [string, unknown]) => {
    const path = at.split('#')[0] ?? '';
    const { status, errorCode } = results.get(path) ?? {};
    return at === turnsPath(path) || (at === actPath(path) && (!status || errorCode === 'OUTCOME_UNKNOWN'));
  };
  return new Map([...kept].filter(isOpen));
}

/**
 * What a run takes that repeats a single one: of each step the newest result, of the runs that have gone on with each other.
 * @param runs Their checkpoints, oldest first.
 */
export async function continueRuns(
  scope: Scope,
  runs: readonly Checkpoint[][],
  sealed: SealedValues,
): Promise<EarlierResults> {
  const taken = new Map<string, StepResult>();
  let kept = new Map<string, unknown>();
  for (const checkpoints of runs) {
    const results = await readStepResults(scope, checkpoints, sealed);
    const run = { identity: '', checkpoints, results };
    for (const [path, result] of toContinuedResults(scope, run)) taken.set(path, result);
    const open = await readOpenKept(scope, run, taken, sealed);
    kept = new Map([...kept, ...open].filter(([at]) => !taken.has(at.split('#')[0] ?? '')));
  }
  const [[first] = []] = runs;
  return {
    continued: { identity: first?.identity ?? first?.runId ?? '', kept },
    at: (path) => taken.get(path),
    inside: (path) => [...taken.values()].filter((result) => result.path.startsWith(`${path}.`)),
    findByRequest: async () => undefined,
  };
}

/** The results of a run up to its last completed step, as results of the run that goes on. */
function toContinuedResults(
  scope: Scope,
  { checkpoints, results }: ContinuedRun,
): ReadonlyMap<string, StepResult> {
  const stored = checkpoints.flatMap(listResults);
  const last = stored.findLastIndex(({ row: [, status] }) => status === 'completed');
  const at = scope.now().toISOString();
  const known = stored.slice(0, last + 1);
  const hasGoneOn = openGoneOn(known);
  return new Map(
    known.filter(hasGoneOn).flatMap(({ checkpoint, kept, row: [, status] }) => {
      const result = results.get(kept.path);
      const { path, stepId, output, unmasked, error, errors, isSum } = result ?? {};
      if (path === undefined || stepId === undefined) return [];
      const facts = { path, stepId, status, startedAt: at, durationMs: 0, retryCount: 0 };
      const outcome = {
        ...(output !== undefined && { output }),
        ...(unmasked && { unmasked }),
        ...(error !== undefined && { error }),
        ...(errors && { errors }),
        ...(isSum && { isSum }),
        ...(kept.request && { requestHash: kept.request }),
      };
      return [[path, { ...facts, ...outcome, ...toReuseFacts(checkpoint, kept) }] as const];
    }),
  );
}

/** Tells whether a run has gone on after a result: a failure that ended what is around it is tried again. */
function openGoneOn(known: readonly Stored[]) {
  const later = known.map(({ kept, row }) => ({
    ...splitPlace(kept.path),
    isCompleted: row[1] === 'completed',
  }));
  return ({ kept: { path }, row: [, status] }: Stored, position: number): boolean => {
    if (status !== 'failed') return true;
    const after = later.slice(position + 1);
    for (let at = splitPlace(path), isOwn = true; ; at = splitPlace(holderPath(at.list)), isOwn = false) {
      const isBehind = (other: (typeof later)[number]) =>
        other.list === at.list &&
        (other.index > at.index || (!isOwn && other.isCompleted && other.index === at.index));
      if (after.some(isBehind)) return true;
      if (at.list === '') return false;
    }
  };
}

function splitPlace(path: string) {
  const at = path.lastIndexOf('.');
  return { list: path.slice(0, Math.max(0, at)), index: Number(path.slice(at + 1)) };
}

const parseRunId = (sortKey: string) => sortKey.split('#')[1];
