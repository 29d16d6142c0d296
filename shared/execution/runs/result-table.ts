/**
 * Runs of flows on records as a table: a row for each record that has run, with its metadata, the output of each step, and what
 * it cost.
 *
 * The index of a flow has its runs in the order of their ids, in which those of a batch stand together, since the time in them is
 * that of its start. A page has 100 runs, whose checkpoints are read at once, and says after which run the next begins.
 * Exports write it, and the step `reduce` reads it.
 */

import Big from 'big.js';
import { toChunks } from '../../core/chunks.ts';
import { notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { findStepAt } from '../../domain/flows/steps/run-path.ts';
import { outputVariableName } from '../../domain/flows/steps/step.ts';
import { runEntity } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Checkpoint, checkpointEntity, parseRows } from './checkpoint.ts';
import { type CheckpointEntry, listFlowCheckpoints } from './checkpoint-index.ts';
import { readStepIndex, type StepIndex, toVersionName } from './replay.ts';

export type TableRow = Record<string, unknown>;

export interface TablePage {
  rows: TableRow[];
  /** After which the next page begins. */
  cursor: string;
}

interface TableFilter {
  batchId?: string | undefined;
  status?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The run after which it begins. */
  after?: string | undefined;
}

export const resultTable = /* @__PURE__ */ using(
  ['table:read', payloadReader],
  (scope: Scope) => (flowId: string, filter: TableFilter) => readResults(scope, flowId, filter),
);

/** Of one batch. @throws 404 */
export const batchTable = /* @__PURE__ */ using(
  ['table:read', payloadReader],
  (scope: Scope) =>
    async function* (
      batchId: string,
      filter: Pick<TableFilter, 'status' | 'after'>,
    ): AsyncGenerator<TablePage, void> {
      const batch = await scope.table.get(runEntity, { id: batchId }, { consistent: true });
      if (!batch?.flowId) throw notFound('Batch');
      const { flowId, startedAt } = batch;
      yield* readResults(scope, flowId, { ...filter, batchId, from: startedAt, to: startedAt });
    },
);

const runsAtOnce = 100;

/** The runs of a flow on records, oldest first, whose last checkpoint says the end. */
async function* readResults(
  scope: Scope,
  flowId: string,
  { batchId, status, from, to, after }: TableFilter,
): AsyncGenerator<TablePage, void> {
  const source = listFlowCheckpoints(scope.table, flowId, {
    newestFirst: false,
    from,
    to,
    after,
    atFirst: 1_000,
  });
  let runs: CheckpointEntry[][] = [];
  for await (const run of groupRuns(source)) {
    const last = run.at(-1);
    const isAsked =
      last?.finished &&
      last.recordId &&
      (batchId === undefined || last.batchId === batchId) &&
      (status === undefined || last.finished.status === status);
    if (!isAsked) continue;
    runs.push(run);
    if (runs.length < runsAtOnce) continue;
    yield { rows: await toResultRows(scope, runs), cursor: runs.at(-1)?.[0]?.runId ?? '' };
    runs = [];
  }
  const cursor = runs.at(-1)?.[0]?.runId;
  if (cursor) yield { rows: await toResultRows(scope, runs), cursor };
}

async function* groupRuns(source: AsyncIterable<CheckpointEntry>): AsyncGenerator<CheckpointEntry[]> {
  let run: CheckpointEntry[] = [];
  for await (const entry of source) {
    if (run.length > 0 && run[0]?.runId !== entry.runId) {
      yield run;
      run = [];
    }
    run.push(entry);
  }
  if (run.length > 0) yield run;
}

async function toResultRows(scope: Scope, runs: readonly CheckpointEntry[][]): Promise<TableRow[]> {
  const entries = runs.flat();
  const steps = await readStepIndex(scope, entries);
  const read = await Promise.all(
    toChunks(
      entries.map((entry) => checkpointEntity.key(entry)),
      100,
    ).map((keys) => scope.table.getMany(keys, { consistent: true })),
  );
  const byRun = Map.groupBy(decodeReadable(checkpointEntity, read.flat()), ({ runId }) => runId);
  const rows = runs.map((run) => toResultRow(scope, byRun.get(run[0]?.runId ?? '') ?? [], steps));
  return (await Promise.all(rows)).filter((row) => row !== undefined);
}

/** Of the steps of the flow itself: those of branches and items are part of their outputs. */
const isOuter = (path: string) => !path.includes('.');

async function toResultRow(
  scope: Scope,
  checkpoints: readonly Checkpoint[],
  steps: StepIndex,
): Promise<TableRow | undefined> {
  const [first, last] = [checkpoints[0], checkpoints.at(-1)];
  if (!first || !last?.end) return undefined;
  const payloads = payloadReader(scope);
  const metadata = first.recordMetadata ? await payloads.fetchReadable(first.recordMetadata) : {};
  const outputs: TableRow = {};
  let [cost, tokens, durationMs] = [new Big(0), 0, 0];
  for (const checkpoint of checkpoints) {
    const { steps: list = [] } = steps.get(toVersionName(checkpoint)) ?? {};
    for (const [place, [stepId, , , ms]] of parseRows(checkpoint).entries()) {
      const stored = checkpoint.results[place];
      if (!stored || !isOuter(stored.path)) continue;
      const step = findStepAt(list, stored.path);
      const column = (step && outputVariableName(step)) ?? step?.name ?? stepId;
      if (stored.output) outputs[column] = await payloads.fetchReadable(stored.output);
      cost = cost.plus(stored.estimatedCost ?? 0);
      tokens += (stored.promptTokens ?? 0) + (stored.completionTokens ?? 0);
      durationMs += ms;
    }
  }
  const members = Object.entries((metadata ?? {}) as TableRow).map(([key, value]) => [
    `record.${key}`,
    value,
  ]);
  return {
    recordId: last.recordId,
    recordName: last.recordName,
    ...Object.fromEntries(members),
    ...outputs,
    status: last.end.status,
    error: last.end.error,
    cost: cost.toFixed(),
    tokens,
    durationMs,
    runId: last.runId,
    startedAt: getIdCreatedAt(last.runId),
  };
}
