/**
 * Reports the numbers of runs for a range of hours or days: reads them, groups them as a query asks, and names the
 * groups.
 * Folded periods come from items. Hours that are marked (`runs/hour-marks.ts`) are summed from the rows of runs; since
 * an hour may be folded in between, the marks are read again afterwards and everything is repeated if one has changed,
 * a few times.
 * A run that ran inside another counts only in groupings that are about its kind, records of batches only where they
 * are asked for. Names are the present ones, else those of the last run.
 * `functions/run-metrics/get.ts` calls `numbersReader`, `groupMetrics` and `groupNames` in this order.
 */
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { apiKeyEntity } from '../../platform/auth/api-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Key } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { flowEntity } from '../flows/flow.ts';
import { isDay, listMarks, type PeriodMark, toDay } from '../runs/hour-marks.ts';
import { getSketchQuantile } from '../runs/sketch.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { findBuiltinTool } from '../tools/builtin/index.ts';
import { toolEntity } from '../tools/tool.ts';
import { addNumbers, type Cell, countRuns, createNumbers, type MetricKind, type Numbers } from './cell.ts';
import { createHourSums, foldedEntity, hourNumbers, joinParts, toFoldedRange } from './metric-items.ts';

export interface NumbersRange {
  /** The first and the last hour or day. */
  from: string;
  to: string;
  /** Whether runs inside of others are needed. */
  inside: boolean;
  /** Whether records of batches are needed, which may have ended before their batch, in an hour of the range. */
  records: boolean;
}

type NumbersByPeriod = ReadonlyMap<string, Cell[]>;

const hoursAtOnce = 4;
/** How often it reads again because rows were deleted meanwhile. */
const attemptsMax = 3;

/**
 * The numbers of each hour or day. What is folded comes from items. The hours that are not, which are the current one and
 * those that ended less than half an hour ago, are computed from the rows of their runs: a request for each megabyte.
 */
export const numbersReader = /* @__PURE__ */ using(
  [hourNumbers],
  (scope: Pick<Scope, 'table'>) =>
    async (range: NumbersRange): Promise<NumbersByPeriod> => {
      for (let attempt = 1; ; attempt++) {
        const marks = await listMarks(scope);
        const open = marks.filter(({ period }) => !isDay(period) && isNeeded(period, range));
        const numbers = await readOnce(scope, range, marks, open);
        if (open.length === 0 || attempt >= attemptsMax) return numbers;
        const after = new Map((await listMarks(scope)).map(({ period, revision }) => [period, revision]));
        if (open.every(({ period, revision }) => after.get(period) === revision)) return numbers;
      }
    },
);

const isNeeded = (hour: string, { from, to, records }: NumbersRange) =>
  isDay(from)
    ? toDay(hour) >= from && (records || toDay(hour) <= to)
    : hour >= from && (records || hour <= to);

async function readOnce(
  scope: Pick<Scope, 'table'>,
  range: NumbersRange,
  marks: readonly PeriodMark[],
  open: readonly PeriodMark[],
): Promise<NumbersByPeriod> {
  const marked = new Set(marks.map(({ period }) => period));
  const sums = createHourSums();
  const add = (period: string, cells: Cell[]) => {
    const name = period.slice(0, range.from.length);
    if (name >= range.from && name <= range.to) sums.add([[name, cells]]);
  };
  for (const [period, cells] of await readFoldedCells(scope, range, marked)) add(period, cells);
  const compute = ({ period }: PeriodMark) => hourNumbers(scope)(period, range.inside);
  for await (const byHour of mapConcurrently(open, hoursAtOnce, compute)) {
    for (const [hour, cells] of byHour) add(hour, cells);
  }
  return sums.byHour();
}

/** Of a day that is not folded, the hours that are. */
async function readFoldedCells(
  scope: Pick<Scope, 'table'>,
  { from, to }: NumbersRange,
  marked: ReadonlySet<string>,
): Promise<[string, Cell[]][]> {
  if (!isDay(from)) return readStoredCells(scope, from, to, ({ source }) => !marked.has(source));
  const openDays = new Set([...marked].map(toDay));
  const days = await readStoredCells(scope, from, to, ({ period, source }) =>
    period === source ? !openDays.has(period) : !marked.has(source),
  );
  const wanted = [...openDays].filter((day) => day >= from && day <= to).sort();
  const hours = wanted.map((day) =>
    readStoredCells(
      scope,
      `${day}T00`,
      `${day}T23`,
      ({ period, source }) => period === source && !marked.has(source),
    ),
  );
  return [...days, ...(await Promise.all(hours)).flat()];
}

async function readStoredCells(
  { table }: Pick<Scope, 'table'>,
  from: string,
  to: string,
  counts: (place: { period: string; source: string }) => boolean,
): Promise<[string, Cell[]][]> {
  const items = await table.queryAll({ ...toFoldedRange(from, to), consistent: true });
  const parts = decodeReadable(foldedEntity, items).filter(counts);
  const folds = Map.groupBy(parts, ({ period, source }) => `${period}#${source}`);
  return [...folds].map(([key, same]) => [key.split('#')[0] ?? '', joinParts(same)]);
}

export const groupings = ['kind', 'flow', 'agent', 'tool', 'model', 'surface', 'status', 'apiKey'] as const;
type Grouping = (typeof groupings)[number];

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

interface MetricsGroup {
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

const builtinPrefix = 'builtin:';

type UnnamedGroup = Pick<MetricsGroup, 'key' | 'productId' | 'lastName'>;

/** Where the item of a group is, if it has one. */
const itemOf: Partial<Record<Grouping, (id: string, group: UnnamedGroup) => Key | undefined>> = {
  flow: (id) => flowEntity.key({ id }),
  agent: (id) => agentEntity.key({ id }),
  tool: (id) => (id.startsWith(builtinPrefix) ? undefined : toolEntity.key({ id })),
  surface: (id, { productId }) => (productId ? surfaceEntity.key({ productId, id }) : undefined),
  apiKey: (id) => apiKeyEntity.key({ id }),
};

/** What names take beside the READ of the kinds of runs. Every credential may list API keys. */
const needed: Partial<Record<Grouping, Permission>> = { surface: 'PRODUCTS:READ' };

/** The present names of what groups are about, in one request for a hundred. What was deleted has the name of its last run. */
export const groupNames = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (
      groups: readonly UnnamedGroup[],
      groupBy: Grouping | undefined,
      held: readonly string[],
    ): Promise<(string | null)[]> => {
      const permission = groupBy && needed[groupBy];
      if (permission && !covers(held, permission)) return groups.map(() => null);
      const find = groupBy && itemOf[groupBy];
      if (!find) return groups.map(({ key }) => key);
      const keys = groups.map((group) => (group.key === null ? undefined : find(group.key, group)));
      const wanted = keys.filter((key) => key !== undefined);
      const items = wanted.length === 0 ? [] : await table.getMany(wanted);
      return groups.map(({ key, lastName }, index) => {
        if (key === null) return null;
        const itemKey = keys[index];
        const stored = itemKey && readName(items[wanted.indexOf(itemKey)]);
        return stored ?? findBuiltinName(key) ?? lastName ?? null;
      });
    },
);

function readName(item: Record<string, unknown> | undefined): string | undefined {
  const name = (item?.summary as { name?: unknown } | undefined)?.name ?? item?.name;
  return typeof name === 'string' ? name : undefined;
}

const findBuiltinName = (id: string) =>
  id.startsWith(builtinPrefix) ? findBuiltinTool(id.slice(builtinPrefix.length))?.name : undefined;
