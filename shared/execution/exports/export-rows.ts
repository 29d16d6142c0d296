/**
 * The rows of an export, page by page, from a place on: records, the runs of a batch or a flow with their outputs, runs, feedback.
 *
 * A row is flat at its first level: its members are columns. Each page says where the next begins, in a form that outlives the
 * process. Runs on records are read from the index of their flow, where those of a batch stand together, and then from
 * their checkpoints, 100 at a time. `write-export.ts` is the caller.
 */

import Big from 'big.js';
import { toChunks } from '../../core/chunks.ts';
import { getIdCreatedAt, getIdTimeMs } from '../../core/ids.ts';
import type { ExportFilter, ExportItem } from '../../domain/exports/export.ts';
import { runFeedbackStore } from '../../domain/feedback/run-feedback-store.ts';
import { findStepAt } from '../../domain/flows/steps/run-path.ts';
import { outputVariableName } from '../../domain/flows/steps/step.ts';
import { toCsvColumn } from '../../domain/records/csv/export-csv.ts';
import type { RecordItem } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import type { Run } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { batchFinder } from '../batches/batch-store.ts';
import { runList } from '../listed-runs/list-runs.ts';
import { getRunDurationMs } from '../listed-runs/run-filter.ts';
import { type Checkpoint, checkpointEntity, parseRows } from '../runs/checkpoint.ts';
import { type CheckpointEntry, listFlowCheckpoints } from '../runs/checkpoint-index.ts';
import { readStepIndex, type StepIndex, toVersionName } from '../runs/replay.ts';

export type ExportRow = Record<string, unknown>;

export interface ExportPage {
  rows: ExportRow[];
  /** After which the next page begins. */
  cursor: string;
}

export const exportRows = /* @__PURE__ */ using(
  ['table:read', recordStore, runList, runFeedbackStore, batchFinder, payloadReader],
  (scope: Scope) =>
    ({ settings: { what, filter }, kinds, cursor }: ExportItem): AsyncGenerator<ExportPage, void> => {
      const sources = {
        records: () => readRecords(scope, filter, cursor),
        batch: () => readBatch(scope, filter, cursor),
        results: () => readResults(scope, { ...filter, flowId: filter.flowId ?? '' }, cursor),
        runs: () => readRuns(scope, filter, kinds, cursor),
        feedback: () => readFeedback(scope, filter, kinds, cursor),
      };
      return sources[what]();
    },
);

const toMs = (time: string | undefined, otherwise: number) =>
  time === undefined ? otherwise : Date.parse(time);

async function* readRecords(
  scope: Scope,
  filter: ExportFilter,
  after: string | undefined,
): AsyncGenerator<ExportPage> {
  const { recordType, recordFilter, importId, from, to } = filter;
  const [first, last] = [toMs(from, 0), toMs(to, Number.POSITIVE_INFINITY)];
  const filters = { type: recordType, recordFilter, importId };
  for await (const { records, at } of recordStore(scope).matching(filters, after)) {
    const within = records.filter(({ id }) => getIdTimeMs(id) >= first && getIdTimeMs(id) <= last);
    const cursor = at ?? records.at(-1)?.id;
    if (cursor !== undefined) yield { rows: within.map(toRecordRow), cursor };
    // Newest first.
    if (at !== undefined && getIdTimeMs(at) < first) return;
  }
}

const toRecordRow = ({ name, type, metadata }: RecordItem): ExportRow => ({
  name,
  type,
  ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [toCsvColumn(key), value])),
});

async function* readBatch(scope: Scope, filter: ExportFilter, after: string | undefined) {
  const batch = await batchFinder(scope).get(filter.batchId ?? '');
  const { flowId, startedAt } = batch;
  yield* readResults(scope, { ...filter, flowId, from: startedAt, to: startedAt }, after);
}

const runsAtOnce = 100;

/** The runs of a flow on records, oldest first, whose last checkpoint says the end. */
async function* readResults(
  scope: Scope,
  { flowId, batchId, status, from, to }: ExportFilter & { flowId: string },
  after: string | undefined,
): AsyncGenerator<ExportPage> {
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

async function toResultRows(scope: Scope, runs: readonly CheckpointEntry[][]): Promise<ExportRow[]> {
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
): Promise<ExportRow | undefined> {
  const [first, last] = [checkpoints[0], checkpoints.at(-1)];
  if (!first || !last?.end) return undefined;
  const payloads = payloadReader(scope);
  const metadata = first.recordMetadata ? await payloads.fetchReadable(first.recordMetadata) : {};
  const outputs: ExportRow = {};
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
  const members = Object.entries((metadata ?? {}) as ExportRow).map(([key, value]) => [
    `record.${key}`,
    value,
  ]);
  return {
    recordId: last.recordId,
    'record.name': last.recordName,
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

async function* readRuns(
  scope: Scope,
  { flowId, agentId, status, from, to }: ExportFilter,
  kinds: ExportItem['kinds'],
  after: string | undefined,
): AsyncGenerator<ExportPage> {
  const list = runList(scope);
  const query = {
    kinds,
    flowId,
    agentId,
    ...(status !== undefined && { statuses: [status as Run['status']] }),
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
    root: true,
    limit: 100,
  };
  for (let cursor = after; ; ) {
    const { runs, nextCursor } = await list({ ...query, cursor });
    if (nextCursor === null)
      return yield { rows: runs.map((run) => toRunRow(run, scope.now())), cursor: cursor ?? '' };
    yield { rows: runs.map((run) => toRunRow(run, scope.now())), cursor: nextCursor };
    cursor = nextCursor;
  }
}

const toRunRow = (run: Run, now: Date): ExportRow => ({
  id: run.id,
  kind: run.kind,
  name: run.name,
  status: run.status,
  flowId: run.flowId ?? null,
  agentId: run.agentId ?? null,
  toolId: run.toolId ?? null,
  recordId: run.recordId ?? null,
  startedAt: run.startedAt,
  completedAt: run.completedAt ?? null,
  durationMs: getRunDurationMs(run, now) ?? null,
  cost: run.totalCost ?? null,
  tokens: run.tokens ? run.tokens.input + run.tokens.output : 0,
  error: run.error?.message ?? null,
});

async function* readFeedback(
  scope: Scope,
  { flowId, agentId, from, to }: ExportFilter,
  kinds: ExportItem['kinds'],
  after: string | undefined,
): AsyncGenerator<ExportPage> {
  const filter = {
    kinds,
    flowId,
    agentId,
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
  };
  for (let cursor = after; ; ) {
    const { data, stoppedAt } = await runFeedbackStore(scope).list(filter, { limit: 100, cursor });
    yield { rows: data.map((feedback) => ({ ...feedback })), cursor: stoppedAt ?? cursor ?? '' };
    if (stoppedAt === undefined) return;
    cursor = stoppedAt;
  }
}
