/**
 * Lists the runs of a tenant over all kinds, newest first, a page at a time.
 * The row of a run is one item in time order; runs inside of others are in a second range, and the two are merged as
 * far as neither can have newer rows. What DynamoDB can filter by is in the query, the rest is filtered afterwards
 * (`run-filter.ts`).
 * A page takes at most `queriesMax` queries; then it ends early with a cursor. Runs that were deleted are left out, and
 * the progress of running batches is read for the rows that are shown, so a status is checked again at the end.
 * `functions/runs/list.ts` is the caller; the kinds that the credential may read come in as `kinds`.
 */
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
import { omitDeletedRuns } from './deleted-runs.ts';
import { matchesRun, type RunsFilter, toFilterExpression } from './run-filter.ts';
import { addProgress } from './running-batches.ts';

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

/** @throws 400 for a cursor of another list. */
export const runList = /* @__PURE__ */ using(['table:read', batchFinder], (scope: Scope) => {
  const { table, now } = scope;

  /** The next rows of all sources, as far as none of them can have newer ones. */
  async function readNextRows(query: RunsQuery, sources: readonly Source[], place: Place) {
    const { after } = place;
    const pages = await Promise.all(
      sources.map(
        async (source) => (await table.walk(toPageQuery(query, source, place)).next()).value ?? emptyPage,
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
    const sources = toSources(query);
    const found: Awaited<ReturnType<typeof readNextRows>>['runs'] = [];
    let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    for (let queries = 0; queries < queriesMax; queries += sources.length) {
      const { runs, end } = await readNextRows(query, sources, {
        after,
        limit: getRowsPerQuery(query, queries === 0),
      });
      found.push(...runs.filter(({ run }) => matchesRun(run, query, now())));
      after = end;
      if (end === undefined || found.length > limit) break;
    }
    const shown = found.slice(0, limit);
    const nextKey = found.length > limit ? shown.at(-1)?.key : after;
    const runs = await omitDeletedRuns(
      scope,
      shown.map(({ run }) => run),
    );
    const current = await addProgress(scope, runs);
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

function toSources({ parentRunId, root }: RunsQuery): Source[] {
  if (parentRunId !== undefined) return [{ partition: childRunsPartition(parentRunId), index: 1 }];
  return [{ partition: runsPartition }, ...(root ? [] : [{ partition: insideRunsPartition }])];
}

/** Most filters leave many runs, so the first Query need not read much. */
function getRowsPerQuery(query: RunsQuery, isFirst: boolean): number {
  const { minDurationMs, minCost, error, q, limit } = query;
  const isPlain = (minDurationMs ?? minCost ?? error ?? q ?? toFilterExpression(query)) === undefined;
  if (isPlain) return limit + 2;
  return isFirst ? (limit + 1) * firstRowsPerRun : filteredRowsPerQuery;
}

function toPageQuery(query: RunsQuery, source: Source, { after, limit }: Place): WalkOptions {
  const filter = toFilterExpression(query);
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
