import { decodeTime } from 'ulid';
import { decode } from '../data/entity.ts';
import { type PayloadStore, payloadStore, type Stowed } from '../data/payloads.ts';
import type { StoredStep } from '../flows/flow.ts';
import { type Variables, variableOf } from '../flows/step.ts';
import { versionStore } from '../flows/version-store.ts';
import { ApiError } from '../http/errors.ts';
import { derivedId } from '../ids.ts';
import type { Scope } from '../runtime.ts';
import { type Checkpoint, checkpointEntity, type KeptResult, parseRows, type Row } from './checkpoint.ts';
import { previewOf } from './run-log.ts';
import type { Entry } from './step-result-entries.ts';

/** One result, found by its entry and its place in it. */
export interface ResultRef {
  entry: Entry;
  place: number;
  row: Row;
}

/** The steps of each flow version, by version id and step id. */
export type StepIndex = ReadonlyMap<string, ReadonlyMap<string, StoredStep>>;

export const stepOf = (steps: StepIndex, { entry, row }: ResultRef) =>
  steps.get(entry.flowVersionId)?.get(row[0]);

/** Builds the rows of step results from what is kept: checkpoints, and the versions that they were made with. */
export const resultRows = (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadStore(scope);

  /** The steps of the versions that these results were made with. */
  async function flowSteps(entries: readonly Pick<Entry, 'flowId' | 'flowVersionId'>[]): Promise<StepIndex> {
    const versions = new Map(entries.map(({ flowId, flowVersionId }) => [flowVersionId, flowId]));
    const loaded = await Promise.all(
      [...versions].map(async ([id, flowId]) => {
        // A deleted flow's version is gone; what ran with it can still be told, without the names.
        const steps = await versionStore(scope)
          .immutable(flowId, id)
          .then((version) => version.steps, ifMissing([]));
        return [id, new Map(allSteps(steps).map((step) => [step.id, step]))] as const;
      }),
    );
    return new Map(loaded);
  }

  /** The checkpoints of these results and those before them in their runs, which hold the variables. */
  async function runsOf(refs: readonly ResultRef[]): Promise<Map<string, Checkpoint[]>> {
    const last = new Map<string, Entry>();
    for (const { entry } of refs) {
      if (entry.index >= (last.get(entry.runId)?.index ?? 0)) last.set(entry.runId, entry);
    }
    const keys = [...last.values()].flatMap(({ recordId, runId, index: end }) =>
      Array.from({ length: end + 1 }, (_, index) =>
        checkpointEntity.key(table.tenant, { recordId, runId, index }),
      ),
    );
    const items = await table.getMany(keys, { consistent: true });
    const checkpoints = items.flatMap((item) => (item ? [decode(checkpointEntity, item)] : []));
    return Map.groupBy(checkpoints, ({ runId }) => runId);
  }

  async function rowsOf(refs: readonly ResultRef[]) {
    const [steps, runs] = await Promise.all([flowSteps(refs.map(({ entry }) => entry)), runsOf(refs)]);
    return Promise.all(refs.map((ref) => toRow(payloads, ref, steps, runs.get(ref.entry.runId) ?? [])));
  }

  return { flowSteps, rowsOf };
};

async function toRow(payloads: PayloadStore, ref: ResultRef, steps: StepIndex, run: readonly Checkpoint[]) {
  const { entry, place, row } = ref;
  const [stepId, status, startedAt, durationMs] = row;
  const step = stepOf(steps, ref);
  const { recordName = null, userId = '', organizationId = null } = run[entry.index] ?? {};
  const kept = run[entry.index]?.results[place];
  const { promptTokens = null, completionTokens = null } = kept ?? {};
  const fetched = async (stowed: Stowed | undefined) => (stowed ? payloads.fetch(stowed) : null);
  return {
    id: derivedId('step', decodeTime(entry.runId.slice(5).toUpperCase()), entry.runId, kept?.path ?? place),
    userId,
    organizationId,
    batchExecutionId: entry.batchId,
    executionSessionId: entry.runId,
    flowId: entry.flowId,
    flowVersionId: entry.flowVersionId,
    recordId: entry.recordId,
    recordName,
    recordMetadata: await fetched(run[0]?.recordMetadata),
    stepId,
    stepType: step?.type ?? null,
    stepName: step?.name ?? stepId,
    stepConfig: step?.config ?? null,
    order: step?.order ?? null,
    status,
    startedAt: new Date(startedAt).toISOString(),
    completedAt: new Date(startedAt + durationMs).toISOString(),
    createdAt: new Date(decodeTime(entry.runId.slice(5).toUpperCase())).toISOString(),
    durationMs,
    outputPreview: previewOfKept(kept),
    inputVariables: upTo(inputVariablesMax, await variablesBefore(payloads, ref, steps, run)),
    resolvedPrompt: (await fetched(kept?.resolvedPrompt)) as string | null,
    modelUsed: kept?.modelUsed ?? null,
    promptTokens,
    completionTokens,
    totalTokens: promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
    estimatedCost: kept?.estimatedCost ?? null,
    errorMessage: kept?.error ?? null,
    retryCount: kept?.retryCount ?? 0,
  };
}

/** Larger than this they would leave no room for anything else: an answer has 6 MB. */
const inputVariablesMax = 1_000_000;

const upTo = (bytesMax: number, variables: Variables) =>
  Buffer.byteLength(JSON.stringify(variables)) > bytesMax ? null : variables;

const previewOfKept = (kept: KeptResult | undefined) =>
  !kept?.output
    ? null
    : 'inline' in kept.output
      ? previewOf(JSON.parse(kept.output.inline))
      : (kept.preview ?? null);

/** What the earlier steps of the run had put into variables when this one began. */
async function variablesBefore(
  payloads: PayloadStore,
  ref: ResultRef,
  steps: StepIndex,
  run: readonly Checkpoint[],
) {
  const variables: Variables = {};
  for (const { index, results, rows, flowVersionId } of run.slice(0, ref.entry.index + 1)) {
    const before = index === ref.entry.index ? results.slice(0, ref.place) : results;
    const ids = parseRows(rows).map(([stepId]) => stepId);
    for (const [place, { output }] of before.entries()) {
      const step = steps.get(flowVersionId)?.get(ids[place] ?? '');
      const variable = step && variableOf(step);
      if (variable && output) variables[variable] = await payloads.fetch(output);
    }
  }
  return variables;
}

/** The steps of a flow and of all its branches. */
function allSteps(steps: readonly StoredStep[]): StoredStep[] {
  return steps.flatMap((step) => {
    const { trueSteps = [], falseSteps = [] } = step.config as { [branch: string]: StoredStep[] | undefined };
    return [step, ...allSteps(trueSteps), ...allSteps(falseSteps)];
  });
}

/** Answers something in place of a 404. */
const ifMissing =
  <T>(answer: T) =>
  (error: unknown): T => {
    if (error instanceof ApiError && error.status === 404) return answer;
    throw error;
  };
