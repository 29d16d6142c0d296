/**
 * The rows of an export, page by page, from a place on: records, the runs of a batch or a flow with their outputs, runs, feedback.
 *
 * A row is flat at its first level: its members are columns. Each page says where the next begins, in a form that outlives the
 * process. Runs on records are read by `runs/result-table.ts`. `write-export.ts` is the caller.
 */

import { getIdTimeMs } from '../../core/ids.ts';
import { runFeedbackStore } from '../../domain/feedback/run-feedback-store.ts';
import type { ExportFilter, ExportItem } from '../../domain/jobs/export.ts';
import { toCsvColumn } from '../../domain/records/csv/export-csv.ts';
import type { RecordItem } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import type { Run } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { runList } from '../listed-runs/list-runs.ts';
import { getRunDurationMs } from '../listed-runs/run-filter.ts';
import { batchTable, resultTable, type TablePage, type TableRow } from '../runs/result-table.ts';

export type ExportRow = TableRow;

export const exportRows = /* @__PURE__ */ using(
  ['table:read', recordStore, runList, runFeedbackStore, batchTable, resultTable],
  (scope: Scope) =>
    ({ settings: { what, filter }, kinds, cursor }: ExportItem): AsyncGenerator<TablePage, void> => {
      const sources = {
        records: () => readRecords(scope, filter, cursor),
        batch: () => batchTable(scope)(filter.batchId ?? '', { ...filter, after: cursor }),
        results: () => resultTable(scope)(filter.flowId ?? '', { ...filter, after: cursor }),
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
): AsyncGenerator<TablePage> {
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

async function* readRuns(
  scope: Scope,
  { flowId, agentId, status, from, to }: ExportFilter,
  kinds: ExportItem['kinds'],
  after: string | undefined,
): AsyncGenerator<TablePage> {
  const list = runList(scope);
  const query = {
    kinds,
    flowId,
    agentId,
    ...(status !== undefined && { statuses: status.split(',') as Run['status'][] }),
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
): AsyncGenerator<TablePage> {
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
