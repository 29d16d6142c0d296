import * as z from 'zod';
import {
  childRunsPartition,
  insideRunsPartition,
  type Run,
  runEntity,
  runSortKey,
  runsPartition,
  toRunsCeiling,
  toRunsFloor,
} from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { invalidListCursor } from '../../platform/data/lists/pages.ts';
import type { QueryOptions, WalkOptions } from '../../platform/data/query.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { QueryPage } from '../../platform/data/table.ts';
import { batchFinder } from '../batches/batch-store.ts';
import { withoutDeletedRuns } from './deleted-runs.ts';
import { filterExpression, passes, type RunsFilter } from './run-filter.ts';
import { withProgress } from './running-batches.ts';

export interface RunsQuery extends RunsFilter {
  limit: number;
  cursor?: string | undefined;
  /** Lists the runs inside of this one. */
  parentRunId?: string | undefined;
  /** Whether to leave out runs inside of others. */
  root: boolean;
  /** On the start. */
  from?: Date | undefined;
  to?: Date | undefined;
}

export interface RunsPage {
  runs: Run[];
  nextCursor: string | null;
}

/** With those for deleted flows and for running batches, a page takes at most 12 requests. */
const queriesMax = 8;
const filteredRowsPerQuery = 1_000;
const firstRowsPerRun = 4;

/**
 * Lists the runs of the tenant, newest first. A page that would take more requests ends early, with a cursor.
 * @throws 400 for a cursor of another list.
 */
export const runList = /* @__PURE__ */ using(['table:read', batchFinder], (scope: Scope) => {
  const { table, now } = scope;

  /** The next rows of all sources, as far as none of them can have newer ones. */
  async function nextRows(query: RunsQuery, sources: readonly Source[], place: Place) {
    const { after } = place;
    const pages = await Promise.all(
      sources.map(
        async (source) => (await table.walk(pageOf(query, source, place)).next()).value ?? emptyPage,
      ),
    );
    const end = pages
      .flatMap(({ readTo = [] }) => readTo)
      .sort()
      .at(-1);
    const runs = decodeReadable(
      runEntity,
      pages.flatMap(({ items }) => items),
    )
      .map((run) => ({ run, key: runSortKey(run.id) }))
      .filter(({ key }) => (after === undefined || key < after) && (end === undefined || key >= end))
      .sort((a, b) => (a.key < b.key ? 1 : -1));
    return { runs, end };
  }

  return async (query: RunsQuery): Promise<RunsPage> => {
    const { limit, kinds } = query;
    if (kinds.length === 0) return { runs: [], nextCursor: null };
    const sources = sourcesOf(query);
    const found: Awaited<ReturnType<typeof nextRows>>['runs'] = [];
    let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    for (let queries = 0; queries < queriesMax; queries += sources.length) {
      const { runs, end } = await nextRows(query, sources, { after, limit: perQuery(query, queries === 0) });
      found.push(...runs.filter(({ run }) => passes(run, query, now())));
      after = end;
      if (end === undefined || found.length > limit) break;
    }
    const shown = found.slice(0, limit);
    const nextKey = found.length > limit ? shown.at(-1)?.key : after;
    const runs = await withoutDeletedRuns(
      scope,
      shown.map(({ run }) => run),
    );
    const current = await withProgress(scope, runs);
    return {
      runs: current.filter(({ status }) => query.statuses?.includes(status) ?? true),
      nextCursor: nextKey === undefined ? null : encodeCursor(nextKey),
    };
  };
});

const emptyPage: QueryPage = { items: [], readTo: undefined };

interface Place {
  after: string | undefined;
  limit: number;
}

type Source = Pick<QueryOptions, 'partition' | 'index'>;

function sourcesOf({ parentRunId, root }: RunsQuery): Source[] {
  if (parentRunId !== undefined) return [{ partition: childRunsPartition(parentRunId), index: 1 }];
  return [{ partition: runsPartition }, ...(root ? [] : [{ partition: insideRunsPartition }])];
}

/** Most filters leave many runs, so the first Query need not read much. */
function perQuery(query: RunsQuery, isFirst: boolean): number {
  const { minDurationMs, minCost, error, limit } = query;
  const isPlain = (minDurationMs ?? minCost ?? error ?? filterExpression(query)) === undefined;
  if (isPlain) return limit + 2;
  return isFirst ? (limit + 1) * firstRowsPerRun : filteredRowsPerQuery;
}

function pageOf(query: RunsQuery, source: Source, { after, limit }: Place): WalkOptions {
  const filter = filterExpression(query);
  const { from, to } = query;
  const last = to && toRunsCeiling(to.getTime());
  const upper = [after, last].filter((bound) => bound !== undefined).sort()[0];
  return {
    ...source,
    newestFirst: true,
    perQuery: limit,
    ...(filter && { filter }),
    from: toRunsFloor(from?.getTime() ?? 0),
    to: upper ?? '~',
    ...(source.index ? {} : { attributes: ['summary'] }),
  };
}

const Cursor = z.strictObject({ after: z.string().regex(/^[0-9a-z]{26}#[a-z]+$/) });

const encodeCursor = (after: string) => Buffer.from(JSON.stringify({ after })).toString('base64url');

function decodeCursor(cursor: string): string {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString())).after;
  } catch {
    throw invalidListCursor();
  }
}
