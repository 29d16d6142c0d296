/**
 * Rebuilds step results for lists: each row with its step, its inputs and its preview, from the checkpoints of its run.
 * A result does not store the variables that its step saw. So the checkpoints of its run are read from the first up to
 * its own, and the variables that earlier steps set are followed scope by scope; large or unreadable ones yield null
 * inputs.
 * Rows are read lazily, in the order of the refs: a caller that stops for lack of room in its response reads no further.
 */
import { toChunks } from '../../core/chunks.ts';
import { getIdTimeMs } from '../../core/ids.ts';
import type { Variables } from '../../core/variables.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import {
  findStepAt,
  isClosedScope,
  isOwnScope,
  listsAround,
  type RunPath,
  toShownPlace,
} from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import {
  countPayloadBytes,
  type PayloadReader,
  type PayloadRef,
  payloadReader,
} from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { type Checkpoint, checkpointEntity, type ResultRow, type StoredStepResult } from './checkpoint.ts';
import type { CheckpointEntry } from './checkpoint-index.ts';
import { toStepResultId } from './reused-results.ts';
import { shortOutput } from './run-recorder.ts';
import { readStoredSteps, type StoredVersion } from './run-versions.ts';

interface ReplayedResult {
  checkpoint: Pick<Checkpoint, 'recordName' | 'userId' | 'organizationId'>;
  stored: StoredStepResult;
  recordMetadata: PayloadRef | undefined;
  /** The variables set by earlier steps; null if they are too large to show or cannot be read. */
  inputs: ReadonlyMap<string, PayloadRef> | null;
}

const inputsBytesMax = 1_000_000;
/** A checkpoint has at most 400 KB, and most are far smaller. */
const checkpointsAtOnce = 100;

/**
 * Replays the runs of these results to find their variables. Reads each checkpoint once, in the order of the results,
 * and only as far as the caller asks. Returns each result once, undefined if it cannot be read.
 */
function replayReader(table: TenantTable, refs: readonly ResultRef[], loading: Promise<StepIndex>) {
  const wanted = new Set(refs.map(toRefName));
  const replayed = new Map<string, ReplayedResult>();
  const read = new Set<string>();
  const reading = readRuns();

  async function* readRuns(): AsyncGenerator<string, void> {
    let replay: ReturnType<typeof openReplay> | undefined;
    for (const chunk of toChunks(listCheckpoints(refs), checkpointsAtOnce)) {
      const keys = chunk.map((each) => checkpointEntity.key(each));
      const [items, steps] = await Promise.all([table.getMany(keys, { consistent: true }), loading]);
      for (const [at, { runId, index, isLast }] of chunk.entries()) {
        if (index === 0 || !replay) replay = openReplay(steps);
        const [checkpoint] = decodeReadable(checkpointEntity, [items[at]]);
        for (const [place, result] of replay(checkpoint)) {
          const name = `${runId} ${index} ${place}`;
          if (wanted.has(name)) replayed.set(name, result());
        }
        if (isLast) yield runId;
      }
    }
  }

  return async (ref: ResultRef): Promise<ReplayedResult | undefined> => {
    while (!read.has(ref.entry.runId)) {
      const { value, done } = await reading.next();
      if (done) break;
      read.add(value);
    }
    const result = replayed.get(toRefName(ref));
    replayed.delete(toRefName(ref));
    return result;
  };
}

const toRefName = ({ entry, place }: ResultRef) => `${entry.runId} ${entry.index} ${place}`;

/** The checkpoints of these results and the earlier ones of their runs, which contain the variables. */
function listCheckpoints(refs: readonly ResultRef[]) {
  const runs = [...Map.groupBy(refs, ({ entry }) => entry.runId).values()];
  return runs.flatMap((ofRun) => {
    const last = Math.max(...ofRun.map(({ entry }) => entry.index));
    return ofRun
      .slice(0, 1)
      .flatMap(({ entry: { recordId, runId } }) =>
        Array.from({ length: last + 1 }, (_, index) => ({ recordId, runId, index, isLast: index === last })),
      );
  });
}

/** Follows a run from checkpoint to checkpoint. @returns each result's state by its position. */
function openReplay(steps: StepIndex) {
  /** What steps have set, by the list whose scope it is. */
  const scopes = new Map<string, Map<string, PayloadRef>>();
  let isWhole = true;
  let recordMetadata: PayloadRef | undefined;

  function put(path: RunPath, name: string, value: PayloadRef): void {
    const scope = listScopes(path).at(-1) ?? '';
    const variables = scopes.get(scope) ?? new Map();
    variables.set(name, value);
    scopes.set(scope, variables);
  }

  function getInputs(path: RunPath): ReadonlyMap<string, PayloadRef> | null {
    const visible = new Map(listScopes(path).flatMap((scope) => [...(scopes.get(scope) ?? [])]));
    const bytes = [...visible].reduce(
      (sum, [name, value]) => sum + JSON.stringify(name).length + countPayloadBytes(value) + ':,'.length,
      0,
    );
    return isWhole && bytes <= inputsBytesMax ? visible : null;
  }

  return function* (
    checkpoint: Checkpoint | undefined,
  ): Generator<[place: number, () => ReplayedResult], void> {
    isWhole &&= checkpoint !== undefined;
    if (!checkpoint) return;
    recordMetadata ??= checkpoint.recordMetadata;
    const { steps: list = [] } = steps.get(toVersionName(checkpoint)) ?? {};
    for (const [place, stored] of checkpoint.results.entries()) {
      yield [place, () => ({ checkpoint, stored, recordMetadata, inputs: getInputs(stored.path) })];
      const step = findStepAt(list, stored.path);
      const variable = step && outputVariableName(step);
      if (variable && stored.output) put(stored.path, variable, stored.output);
    }
  };
}

/** The lists whose scopes a step sees, outermost first. */
function listScopes(path: RunPath): string[] {
  const scopes = ['', ...listsAround(path).filter(isOwnScope)];
  const closed = scopes.findLastIndex(isClosedScope);
  return scopes.slice(Math.max(0, closed));
}

/** A result has a few MB of payloads at most, and a response has room for few of those. */
const rowsAtOnce = 8;

export const stepRowReader = (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadReader(scope);

  /** The rows of these results, in order. Reads only as far as the caller iterates. */
  async function* readRows(refs: readonly ResultRef[]) {
    const loading = readStepIndex(
      scope,
      refs.map(({ entry }) => entry),
    );
    const replayedAt = replayReader(table, refs, loading);
    const fetchValue = openFetcher(payloads);
    for (const some of toChunks(refs, rowsAtOnce)) {
      const replayed: (ReplayedResult | undefined)[] = [];
      for (const ref of some) replayed.push(await replayedAt(ref));
      const steps = await loading;
      yield* await Promise.all(some.map((ref, at) => toRow(ref, steps, replayed[at], fetchValue)));
    }
  }

  return { readRows };
};

type FetchValue = (payloadRef: PayloadRef | undefined) => Promise<unknown>;

/** Fetches each value once, though it may be an input of every row. */
function openFetcher(payloads: PayloadReader): FetchValue {
  const values = new Map<PayloadRef, Promise<unknown>>();
  return async (payloadRef) => {
    if (!payloadRef) return null;
    const value = values.get(payloadRef) ?? payloads.fetchReadable(payloadRef);
    values.set(payloadRef, value);
    return value;
  };
}

async function toRow(
  { entry, place, row }: ResultRef,
  index: StepIndex,
  result: ReplayedResult | undefined,
  fetchValue: FetchValue,
) {
  const [stepId, status, startedAt, durationMs] = row;
  const { stored, checkpoint } = result ?? {};
  const { steps = [] } = index.get(toVersionName(entry)) ?? {};
  const step = stored ? findStepAt(steps, stored.path) : findReferencedStep(index, { entry, place, row });
  const shown = stored && step && toShownPlace(steps, stored.path);
  const { recordName = null, userId = '', organizationId = null } = checkpoint ?? {};
  const { promptTokens = null, completionTokens = null } = stored ?? {};
  return {
    id: toStepResultId(entry.runId, stored?.path ?? place),
    userId,
    organizationId,
    batchExecutionId: entry.batchId,
    executionSessionId: entry.runId,
    flowId: entry.flowId,
    flowVersionId: entry.flowVersionId,
    recordId: entry.recordId,
    recordName,
    recordMetadata: await fetchValue(result?.recordMetadata),
    stepId,
    stepPath: shown?.stepPath ?? stepId,
    itemIndex: shown?.itemIndex ?? null,
    stepType: step?.type ?? null,
    stepName: step?.name ?? stepId,
    stepConfig: step?.config ?? null,
    order: step?.order ?? null,
    status,
    startedAt: new Date(startedAt).toISOString(),
    completedAt: new Date(startedAt + durationMs).toISOString(),
    createdAt: new Date(getIdTimeMs(entry.runId)).toISOString(),
    durationMs,
    outputPreview: await fetchPreview(stored, fetchValue),
    inputVariables: await fetchVariables(result?.inputs ?? null, fetchValue),
    resolvedPrompt: (await fetchValue(stored?.resolvedPrompt)) as string | null,
    modelUsed: stored?.modelUsed ?? null,
    promptTokens,
    completionTokens,
    totalTokens: promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
    estimatedCost: stored?.reusedFrom ? '0' : (stored?.estimatedCost ?? null),
    reusedFrom: stored?.reusedFrom ?? null,
    savedCost: stored?.savedCost ?? null,
    errorMessage: stored?.error ?? null,
    errorCode: stored?.errorCode ?? null,
    retryCount: stored?.retryCount ?? 0,
    attempts: stored?.attempts ?? null,
    warnings: stored?.warnings ?? [],
  };
}

async function fetchPreview(
  stored: StoredStepResult | undefined,
  fetchValue: FetchValue,
): Promise<string | null> {
  if (!stored?.output) return null;
  return 'inline' in stored.output ? shortOutput(await fetchValue(stored.output)) : (stored.preview ?? null);
}

async function fetchVariables(
  inputs: ReplayedResult['inputs'],
  fetchValue: FetchValue,
): Promise<Variables | null> {
  if (!inputs) return null;
  const values = [...inputs].map(async ([name, payloadRef]) => [name, await fetchValue(payloadRef)] as const);
  return Object.fromEntries(await Promise.all(values));
}

/** One result, by its checkpoint and its position there. */
export interface ResultRef {
  entry: CheckpointEntry;
  place: number;
  row: ResultRow;
}

interface VersionSteps {
  steps: readonly FlowStep[];
  /** With the steps that others hold. */
  byId: ReadonlyMap<string, FlowStep>;
}

/** By `toVersionName`. */
export type StepIndex = ReadonlyMap<string, VersionSteps>;

/** Names a version with those of the flows that it runs. */
export const toVersionName = ({ flowVersionId, subFlows }: StoredVersion) =>
  subFlows ? `${flowVersionId} ${JSON.stringify(subFlows)}` : flowVersionId;

/** Reads the steps of these versions, each once. */
export async function readStepIndex(scope: Scope, entries: readonly StoredVersion[]): Promise<StepIndex> {
  const versions = new Map(entries.map((entry) => [toVersionName(entry), entry]));
  const loaded = await Promise.all(
    [...versions].map(async ([name, entry]) => {
      // The version of a deleted flow is gone; its results are listed without step names.
      const steps = await readStoredSteps(scope, entry);
      // A flow that it runs may have steps with the same ids.
      const named = [...walkSteps(steps)].reverse().map(({ step }) => [step.id, step] as const);
      return [name, { steps, byId: new Map(named) }] as const;
    }),
  );
  return new Map(loaded);
}

export const findStep = (steps: StepIndex, version: StoredVersion, stepId: string) =>
  steps.get(toVersionName(version))?.byId.get(stepId);

export const findReferencedStep = (steps: StepIndex, { entry, row }: ResultRef) =>
  findStep(steps, entry, row[0]);
