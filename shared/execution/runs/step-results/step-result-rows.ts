import { toChunks } from '../../../core/chunks.ts';
import { timeMsFromId } from '../../../core/ids.ts';
import type { Variables } from '../../../core/variables/variables.ts';
import { shownPlace, stepAt } from '../../../domain/flows/steps/run-path.ts';
import { type PayloadReader, type PayloadRef, payloadReader } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StoredStepResult } from '../checkpoints/checkpoint.ts';
import { shortOutput } from '../checkpoints/run-recorder.ts';
import { type ReplayedResult, replayReader } from './replay.ts';
import { stepResultId } from './reused-results.ts';
import { type ResultRef, referencedStep, type StepIndex, stepIndex, versionName } from './step-index.ts';

/** A result has a few MB of payloads at most, and a response has room for few of those. */
const rowsAtOnce = 8;

export const stepResultRows = (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadReader(scope);

  /** The rows of these results, in order. Reads only as far as the caller iterates. */
  async function* rowsOf(refs: readonly ResultRef[]) {
    const loading = stepIndex(
      scope,
      refs.map(({ entry }) => entry),
    );
    const replayedAt = replayReader(table, refs, loading);
    const fetched = fetchedOnce(payloads);
    for (const some of toChunks(refs, rowsAtOnce)) {
      const replayed: (ReplayedResult | undefined)[] = [];
      for (const ref of some) replayed.push(await replayedAt(ref));
      const steps = await loading;
      yield* await Promise.all(some.map((ref, at) => toRow(ref, steps, replayed[at], fetched)));
    }
  }

  return { rowsOf };
};

type Fetched = (payloadRef: PayloadRef | undefined) => Promise<unknown>;

/** Fetches each value once, though it may be an input of every row. */
function fetchedOnce(payloads: PayloadReader): Fetched {
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
  fetched: Fetched,
) {
  const [stepId, status, startedAt, durationMs] = row;
  const { stored, checkpoint } = result ?? {};
  const { steps = [] } = index.get(versionName(entry)) ?? {};
  const step = stored ? stepAt(steps, stored.path) : referencedStep(index, { entry, place, row });
  const shown = stored && step && shownPlace(steps, stored.path);
  const { recordName = null, userId = '', organizationId = null } = checkpoint ?? {};
  const { promptTokens = null, completionTokens = null } = stored ?? {};
  return {
    id: stepResultId(entry.runId, stored?.path ?? place),
    userId,
    organizationId,
    batchExecutionId: entry.batchId,
    executionSessionId: entry.runId,
    flowId: entry.flowId,
    flowVersionId: entry.flowVersionId,
    recordId: entry.recordId,
    recordName,
    recordMetadata: await fetched(result?.recordMetadata),
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
    createdAt: new Date(timeMsFromId(entry.runId)).toISOString(),
    durationMs,
    outputPreview: await storedPreview(stored, fetched),
    inputVariables: await variablesIn(result?.inputs ?? null, fetched),
    resolvedPrompt: (await fetched(stored?.resolvedPrompt)) as string | null,
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

async function storedPreview(stored: StoredStepResult | undefined, fetched: Fetched): Promise<string | null> {
  if (!stored?.output) return null;
  return 'inline' in stored.output ? shortOutput(await fetched(stored.output)) : (stored.preview ?? null);
}

async function variablesIn(inputs: ReplayedResult['inputs'], fetched: Fetched): Promise<Variables | null> {
  if (!inputs) return null;
  const values = [...inputs].map(async ([name, payloadRef]) => [name, await fetched(payloadRef)] as const);
  return Object.fromEntries(await Promise.all(values));
}
