/**
 * Sums the numbers of runs into the groups and points that a query asks for.
 *
 * A cell has the numbers of one hour or day for one combination of kind, flow, agent, tool, model, surface, key and status
 * (`cell.ts`); a run that ran inside another counts only in groupings that are about its kind. Pure; `read-numbers.ts` reads
 * the cells, `group-names.ts` adds names, and `functions/run-metrics/get.ts` puts them together.
 */

import { getSketchQuantile } from '../runs/sketch.ts';
import { addNumbers, type Cell, countRuns, createNumbers, type MetricKind, type Numbers } from './cell.ts';
import type { NumbersByPeriod } from './read-numbers.ts';

export const groupings = ['kind', 'flow', 'agent', 'tool', 'model', 'surface', 'status', 'apiKey'] as const;
export type Grouping = (typeof groupings)[number];

export interface MetricsQuery {
  groupBy: Grouping | undefined;
  /** Those that were asked for. */
  kinds: readonly MetricKind[] | undefined;
  /** Those that the caller may read. */
  readable: readonly MetricKind[];
  flowId: string | undefined;
  agentId: string | undefined;
  surfaceId: string | undefined;
}

/** A response shows 10,000 points at most, but ten groups always. */
const pointsMax = 10_000;
const groupsMax = 100;
const groupsAlways = 10;

const keyOf: Record<Grouping, (cell: Cell) => string | undefined> = {
  kind: ({ kind }) => kind,
  flow: ({ flowId }) => flowId,
  agent: ({ agentId }) => agentId,
  tool: ({ toolId }) => toolId,
  model: ({ model }) => model,
  surface: ({ surfaceId }) => surfaceId,
  status: ({ status }) => status,
  apiKey: ({ apiKeyId }) => apiKeyId,
};

/** The kinds whose runs inside of others count in a grouping: those that it is about. */
const insideKinds: Partial<Record<Grouping, readonly MetricKind[]>> = {
  flow: ['flow', 'batch'],
  agent: ['agent'],
  tool: ['tool'],
};

/** Records have what their batch has, but neither models nor, one by one, a status. */
export const groupingsOfRecords: readonly Grouping[] = ['kind', 'flow', 'surface', 'apiKey'];

/** The calls of a model are those of the runs themselves, inside of others or not. */
export const needsInside = ({ groupBy }: Pick<MetricsQuery, 'groupBy'>) =>
  groupBy === 'model' || (groupBy !== undefined && groupBy in insideKinds);

/** Records are runs of a kind of their own, and are in no other sums. */
export const needsRecords = ({ groupBy, kinds }: Pick<MetricsQuery, 'groupBy' | 'kinds'>) =>
  kinds ? kinds.includes('record') : groupBy === 'kind';

function matchesQuery(cell: Cell, query: MetricsQuery): boolean {
  const { groupBy, kinds, readable, flowId, agentId, surfaceId } = query;
  const { kind } = cell;
  return (
    readable.includes(kind) &&
    (!kinds || kinds.includes(kind)) &&
    (kind !== 'record' || needsRecords(query)) &&
    (cell.model === undefined) === (groupBy !== 'model') &&
    (!cell.inside || (groupBy !== undefined && (insideKinds[groupBy]?.includes(kind) ?? false))) &&
    (flowId === undefined || cell.flowId === flowId) &&
    (agentId === undefined || cell.agentId === agentId) &&
    (surfaceId === undefined || cell.surfaceId === surfaceId)
  );
}

export interface MetricsGroup {
  key: string | null;
  /** The name that the last run had, and the product of a surface. */
  lastName: string | undefined;
  productId: string | undefined;
  points: (ReturnType<typeof toShownNumbers> & { at: string })[];
  total: ReturnType<typeof toShownNumbers>;
}

/** The groups with the most runs first. Each has a point for every period, also for those without runs. */
export function groupMetrics(
  numbers: NumbersByPeriod,
  periods: readonly string[],
  query: MetricsQuery,
): MetricsGroup[] {
  const groups = new Map<string | null, Group>();
  if (!query.groupBy) groups.set(null, createGroup());
  for (const [period, cells] of [...numbers].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (const cell of cells) if (matchesQuery(cell, query)) addTo(groups, period, cell, query.groupBy);
  }
  const most = Math.max(groupsAlways, Math.min(groupsMax, Math.floor(pointsMax / periods.length)));
  return [...groups]
    .sort(([, one], [, other]) => countRuns(other.total) - countRuns(one.total))
    .slice(0, most)
    .map(([key, { lastName, productId, byPeriod, total }]) => ({
      key,
      lastName,
      productId,
      points: periods.map((period) => ({
        at: period.length === 10 ? `${period}T00:00:00.000Z` : `${period}:00:00.000Z`,
        ...toShownNumbers(byPeriod.get(period) ?? createNumbers()),
      })),
      total: toShownNumbers(total),
    }));
}

interface Group {
  lastName: string | undefined;
  productId: string | undefined;
  byPeriod: Map<string, Numbers>;
  total: Numbers;
}

const createGroup = (): Group => ({
  lastName: undefined,
  productId: undefined,
  byPeriod: new Map(),
  total: createNumbers(),
});

function addTo(
  groups: Map<string | null, Group>,
  period: string,
  cell: Cell,
  groupBy: Grouping | undefined,
): void {
  const key = (groupBy && keyOf[groupBy](cell)) ?? null;
  const group = groups.get(key) ?? createGroup();
  groups.set(key, group);
  const point = group.byPeriod.get(period) ?? createNumbers();
  group.byPeriod.set(period, point);
  addNumbers(point, cell);
  addNumbers(group.total, cell);
  group.productId = cell.productId ?? group.productId;
  if (groupBy && insideKinds[groupBy]?.includes(cell.kind)) group.lastName = cell.name ?? group.lastName;
}

function toShownNumbers(numbers: Numbers) {
  const { completed, failed, cancelled, unpriced, cost, savedCost, input, output, cachedInput } = numbers;
  const runs = countRuns(numbers);
  const getQuantile = (q: number) => {
    const ms = getSketchQuantile(numbers.durations, q);
    return ms === null ? null : Math.round(ms);
  };
  return {
    runs,
    completed,
    failed,
    cancelled,
    durationMs: { p50: getQuantile(0.5), p95: getQuantile(0.95), p99: getQuantile(0.99) },
    tokens: { input, output, cachedInput },
    cost: runs > 0 && unpriced === runs ? null : cost,
    savedCost,
  };
}
