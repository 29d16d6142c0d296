import { idCeiling, idFloor } from '../../core/ids.ts';
import type { SubFlows } from '../../domain/flows/sub-flows/sub-flows.ts';
import { listDeletedIds } from '../../platform/cleanup/tombstone.ts';
import type { QueryOptions } from '../../platform/data/query.ts';
import type { StoredItem, TenantTable } from '../../platform/data/table.ts';
import {
  type FinishedRun,
  flowResultsPartition,
  flowShards,
  parseRows,
  type ResultRow,
  recordResultsRange,
} from './checkpoint.ts';

/** A checkpoint as an index projects it: enough to filter, sort and count its results. */
export interface CheckpointEntry {
  recordId: string;
  runId: string;
  index: number;
  batchId: string | null;
  flowId: string;
  flowVersionId: string;
  subFlows?: SubFlows;
  rows: ResultRow[];
  models?: string[];
  /** In the last checkpoint of a finished run. */
  finished?: FinishedRun;
  expires: boolean;
}

export interface CheckpointQuery {
  newestFirst: boolean;
  /** Bounds of the run's start, as ISO timestamps. */
  from?: string | undefined;
  to?: string | undefined;
  /** Only runs after this one, for readers from the oldest on. */
  after?: string | undefined;
  /** How many entries the first Query reads. */
  atFirst?: number;
}

/** Without the entries of what was deleted, which is read beside the first entries. */
export async function* skipDeletedResults(
  table: TenantTable,
  kind: 'flow' | 'record',
  source: AsyncGenerator<CheckpointEntry>,
): AsyncGenerator<CheckpointEntry> {
  const reading = listDeletedIds(table, kind);
  reading.catch(() => {});
  for await (const entry of source) {
    const deleted = await reading;
    if (!deleted.has(entry.recordId) && !deleted.has(entry.flowId)) yield entry;
  }
}

/** Checkpoints of a flow in the order of their runs, merged from all shards. */
export async function* listFlowCheckpoints(
  table: TenantTable,
  flowId: string,
  query: CheckpointQuery,
): AsyncGenerator<CheckpointEntry> {
  const streams = Array.from({ length: flowShards }, (_, shard) =>
    readEntries(
      table,
      { partition: flowResultsPartition(flowId, shard), index: 1, ...toIdBounds(query) },
      query,
    ),
  );
  yield* merge(streams, (a, b) => (query.newestFirst ? compare(b, a) : compare(a, b)));
}

export function listRecordCheckpoints(
  table: TenantTable,
  recordId: string,
  query: CheckpointQuery,
): AsyncGenerator<CheckpointEntry> {
  const { partition, to } = recordResultsRange(recordId);
  const bounds = toIdBounds(query);
  const range = { from: `STEPS#${bounds.from}`, to: bounds.to ? `STEPS#${bounds.to}` : to };
  return readEntries(table, { partition, ...range, attributes: ['summary', 'ttl'] }, query);
}

/** The last checkpoints of a record's finished runs, in the order of the runs, without those that expire before it. */
export async function* listFinalCheckpoints(
  table: TenantTable,
  recordId: string,
  query: CheckpointQuery,
): AsyncGenerator<CheckpointEntry> {
  for await (const entry of listRecordCheckpoints(table, recordId, query)) {
    if (entry.finished && !entry.expires) yield entry;
  }
}

/** The costs of a flow that were stored before 2026-11-26 sort below its first run. */
const toIdBounds = ({ from, to, after }: CheckpointQuery) => ({
  from: after ? `${after}#~` : from ? idFloor('exec', Date.parse(from)) : 'exec_',
  ...(to && { to: idCeiling('exec', Date.parse(to)) }),
});

async function* readEntries(
  table: TenantTable,
  range: QueryOptions,
  { newestFirst, atFirst = 100 }: CheckpointQuery,
): AsyncGenerator<CheckpointEntry> {
  const perQuery = (queries: number) => (queries === 0 ? atFirst : 1_000);
  for await (const items of table.pages({ ...range, newestFirst, perQuery })) yield* items.map(toEntry);
}

function toEntry({ SK, summary, ttl }: StoredItem): CheckpointEntry {
  const [, runId = '', index = '0'] = SK.split('#');
  const { rows, ...rest } = summary as Omit<CheckpointEntry, 'runId' | 'index' | 'rows'> & { rows: string };
  return {
    ...rest,
    rows: parseRows({ runId, rows }),
    runId,
    index: Number(index),
    expires: ttl !== undefined,
  };
}

const compare = (a: CheckpointEntry, b: CheckpointEntry) =>
  a.runId === b.runId ? a.index - b.index : a.runId < b.runId ? -1 : 1;

async function* merge<T>(streams: AsyncGenerator<T>[], order: (a: T, b: T) => number): AsyncGenerator<T> {
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    let first = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[first];
      if (!head.done && (!best || best.done || order(head.value, best.value) < 0)) first = index;
    }
    const head = heads[first];
    const stream = streams[first];
    if (!head || head.done || !stream) return;
    yield head.value;
    heads[first] = await stream.next();
  }
}
