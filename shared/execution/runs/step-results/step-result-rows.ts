import { toChunks } from '../../../core/chunks.ts';
import { timeMsFromId } from '../../../core/ids.ts';
import type { Variables } from '../../../core/variables/variables.ts';
import { shownPlace, stepAt } from '../../../domain/flows/steps/run-path.ts';
import { walkSteps } from '../../../domain/flows/steps/walk-steps.ts';
import { type PayloadRef, type PayloadStore, payloadStore } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StoredStepResult } from '../checkpoints/checkpoint.ts';
import { shortOutput } from '../checkpoints/encode-checkpoint.ts';
import { type StoredVersion, storedSteps } from '../linked-version.ts';
import { stepResultId } from '../reuse/earlier-results.ts';
import { type ReplayedResult, replayReader } from './replay.ts';
import { type ResultRef, referencedStep, type StepIndex, versionName } from './result-ref.ts';

/** A result has a few MB of payloads at most, and a response has room for few of those. */
const rowsAtOnce = 8;

export const stepResultRows = (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadStore(scope);

  async function flowSteps(entries: readonly StoredVersion[]): Promise<StepIndex> {
    const versions = new Map(entries.map((entry) => [versionName(entry), entry]));
    const loaded = await Promise.all(
      [...versions].map(async ([name, entry]) => {
        // The version of a deleted flow is gone; its results are listed without step names.
        const steps = await storedSteps(scope, entry);
        // A flow that it runs may have steps with the same ids.
        const named = [...walkSteps(steps)].reverse().map(({ step }) => [step.id, step] as const);
        return [name, { steps, byId: new Map(named) }] as const;
      }),
    );
    return new Map(loaded);
  }

  /** The rows of these results, in order. Reads only as far as the caller iterates. */
  async function* rowsOf(refs: readonly ResultRef[]) {
    const loading = flowSteps(refs.map(({ entry }) => entry));
    const momentOf = replayReader(table, refs, loading);
    const fetched = fetchedOnce(payloads);
    for (const some of toChunks(refs, rowsAtOnce)) {
      const moments: (ReplayedResult | undefined)[] = [];
      for (const ref of some) moments.push(await momentOf(ref));
      const steps = await loading;
      yield* await Promise.all(some.map((ref, at) => toRow(ref, steps, moments[at], fetched)));
    }
  }

  return { flowSteps, rowsOf };
};

type Fetched = (payloadRef: PayloadRef | undefined) => Promise<unknown>;

/** Fetches each value once, though it may be an input of every row. */
function fetchedOnce(payloads: PayloadStore): Fetched {
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
  moment: ReplayedResult | undefined,
  fetched: Fetched,
) {
  const [stepId, status, startedAt, durationMs] = row;
  const { kept, checkpoint } = moment ?? {};
  const { steps = [] } = index.get(versionName(entry)) ?? {};
  const step = kept ? stepAt(steps, kept.path) : referencedStep(index, { entry, place, row });
  const shown = kept && step && shownPlace(steps, kept.path);
  const { recordName = null, userId = '', organizationId = null } = checkpoint ?? {};
  const { promptTokens = null, completionTokens = null } = kept ?? {};
  return {
    id: stepResultId(entry.runId, kept?.path ?? place),
    userId,
    organizationId,
    batchExecutionId: entry.batchId,
    executionSessionId: entry.runId,
    flowId: entry.flowId,
    flowVersionId: entry.flowVersionId,
    recordId: entry.recordId,
    recordName,
    recordMetadata: await fetched(moment?.recordMetadata),
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
    outputPreview: await previewOfKept(kept, fetched),
    inputVariables: await variablesIn(moment?.inputs ?? null, fetched),
    resolvedPrompt: (await fetched(kept?.resolvedPrompt)) as string | null,
    modelUsed: kept?.modelUsed ?? null,
    promptTokens,
    completionTokens,
    totalTokens: promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
    estimatedCost: kept?.reusedFrom ? '0' : (kept?.estimatedCost ?? null),
    reusedFrom: kept?.reusedFrom ?? null,
    savedCost: kept?.savedCost ?? null,
    errorMessage: kept?.error ?? null,
    errorCode: kept?.errorCode ?? null,
    retryCount: kept?.retryCount ?? 0,
    attempts: kept?.attempts ?? null,
  };
}

async function previewOfKept(kept: StoredStepResult | undefined, fetched: Fetched): Promise<string | null> {
  if (!kept?.output) return null;
  return 'inline' in kept.output ? shortOutput(await fetched(kept.output)) : (kept.preview ?? null);
}

async function variablesIn(inputs: ReplayedResult['inputs'], fetched: Fetched): Promise<Variables | null> {
  if (!inputs) return null;
  const values = [...inputs].map(async ([name, payloadRef]) => [name, await fetched(payloadRef)] as const);
  return Object.fromEntries(await Promise.all(values));
}
