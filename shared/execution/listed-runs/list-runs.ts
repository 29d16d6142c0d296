import * as z from 'zod';
import type { WarningCode } from '../../core/warnings.ts';
import {
  childRunsPartition,
  insideRunsPartition,
  type Run,
  type RunKind,
  runEntity,
  runKinds,
  runSortKey,
  runsPartition,
  toRunsCeiling,
  toRunsFloor,
} from '../../domain/runs/run.ts';
import type { RunTrigger } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { invalidListCursor } from '../../platform/data/lists/pages.ts';
import type { QueryOptions, WalkOptions } from '../../platform/data/query.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { QueryPage } from '../../platform/data/table.ts';
import { batchFinder } from '../batches/batch-store.ts';
import { addProgress, omitDeletedRuns } from './find-run.ts';

/**
 * Lists the runs of a tenant over all kinds, newest first, a page at a time.
 * The row of a run is one item in time order; runs inside of others are in a second range, and the two are merged as far
 * as neither can have newer rows. What DynamoDB can filter by is in the query, the rest is filtered here
 * (`run-filter.ts`).
 * A page takes at most `queriesMax` queries; then it ends early with a cursor. Progress of running batches is read for
 * the rows that are shown.
 */

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
  const { minDurationMs, minCost, error, limit } = query;
  const isPlain = (minDurationMs ?? minCost ?? error ?? toFilterExpression(query)) === undefined;
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

interface RunsFilter {
  /** Those that the caller may see, at least one. */
  kinds: readonly RunKind[];
  statuses?: readonly Run['status'][] | undefined;
  triggers?: readonly RunTrigger['type'][] | undefined;
  flowId?: string | undefined;
  agentId?: string | undefined;
  toolId?: string | undefined;
  productId?: string | undefined;
  surfaceId?: string | undefined;
  scheduleId?: string | undefined;
  apiKeyId?: string | undefined;
  sessionId?: string | undefined;
  tag?: string | undefined;
  warning?: WarningCode | 'any' | undefined;
  minDurationMs?: number | undefined;
  minCost?: number | undefined;
  /** A part of the message, in any case. */
  error?: string | undefined;
}

const ownNames = ['flowId', 'agentId', 'toolId', 'sessionId'] as const;
const ofTrigger = ['productId', 'surfaceId', 'scheduleId', 'apiKeyId'] as const;

/** A batch is stored as running until it ends; whether it has begun follows from its records. */
const toStoredStatuses = (statuses: NonNullable<RunsFilter['statuses']>) =>
  statuses.includes('scheduled') ? [...new Set([...statuses, 'running' as const])] : statuses;

/** What DynamoDB can filter by. */
function toFilterExpression(filter: RunsFilter) {
  const values: Record<string, unknown> = {};
  const toOneOf = (path: string, name: string, wanted: readonly string[]) => {
    const names = wanted.map((value, index) => {
      values[`${name}${index}`] = value;
      return `:${name}${index}`;
    });
    return `${path} IN (${names.join(', ')})`;
  };
  const equal = (path: string, name: (typeof ownNames)[number] | (typeof ofTrigger)[number]) => {
    if (filter[name] === undefined) return [];
    values[name] = filter[name];
    return [`${path}#${name} = :${name}`];
  };
  const { kinds, statuses, triggers, tag, warning } = filter;
  const conditions = [
    ...(kinds.length < runKinds.length ? [toOneOf('#summary.#kind', 'kind', kinds)] : []),
    ...(statuses ? [toOneOf('#summary.#status', 'status', toStoredStatuses(statuses))] : []),
    ...(triggers ? [toOneOf('#summary.#trigger.#type', 'trigger', triggers)] : []),
    ...ownNames.flatMap((name) => equal('#summary.', name)),
    ...ofTrigger.flatMap((name) => equal('#summary.#trigger.', name)),
  ];
  if (tag !== undefined) {
    values.tag = tag;
    conditions.push('contains(#summary.#tags, :tag)');
  }
  if (warning === 'any') conditions.push('attribute_exists(#summary.#warningCodes)');
  else if (warning) {
    values.warning = warning;
    conditions.push('contains(#summary.#warningCodes, :warning)');
  }
  return conditions.length > 0 ? { expression: conditions.join(' AND '), values } : undefined;
}

/** What it cannot. */
function matchesRun(run: Run, { minDurationMs, minCost, error }: RunsFilter, now: Date): boolean {
  return (
    (minDurationMs === undefined || getRunDurationMs(run, now) >= minDurationMs) &&
    (minCost === undefined || Number(run.totalCost ?? 0) >= minCost) &&
    (error === undefined || (run.error?.message.toLowerCase().includes(error.toLowerCase()) ?? false))
  );
}

export const getRunDurationMs = ({ startedAt, completedAt }: Run, now: Date) =>
  Math.max(0, (completedAt ? Date.parse(completedAt) : now.getTime()) - Date.parse(startedAt));
