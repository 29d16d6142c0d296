/**
 * The unit of run metrics: numbers of the runs of an hour or a day that agree in every dimension, and how runs become
 * such cells.
 * `toRunCells` turns a run that ended into cells: itself and its own model calls in the hour of its end, the records of
 * a batch in the hours in which they ended. `createCellSum` adds cells up, so that one remains for each combination of
 * dimensions. Costs are added exactly, durations as sketches.
 * A cell with a `model` has calls instead of runs, so no sum may mix the two. Pure; `metric-items.ts`,
 * `sweep-metrics.ts` and `metrics-report.ts` beside it are the callers.
 */
import Big from 'big.js';
import * as z from 'zod';
import { omitUndefined } from '../../core/defined.ts';
import { type RecordsOfHour, type Run, toHour } from '../runs/run.ts';
import type { ModelUse } from '../runs/run-use.ts';
import { mergeInto, SketchCounts, toSketch } from '../runs/sketch.ts';

/** `record` stands for the records of batches. */
export const metricKinds = ['batch', 'flow', 'agent', 'tool', 'record'] as const;
export type MetricKind = (typeof metricKinds)[number];

/** What runs have in common whose numbers are added up. */
const dimensions = {
  kind: z.enum(metricKinds),
  /** Of runs inside of others. */
  inside: z.literal(true).optional(),
  /** `<provider>/<modelId>`: these are the calls of a model, not runs. */
  model: z.string().optional(),
  status: z.enum(['completed', 'failed', 'cancelled']).optional(),
  flowId: z.string().optional(),
  agentId: z.string().optional(),
  toolId: z.string().optional(),
  productId: z.string().optional(),
  surfaceId: z.string().optional(),
  apiKeyId: z.string().optional(),
};
const dimensionNames = Object.keys(dimensions) as (keyof typeof dimensions)[];

/** The numbers of the runs, records or calls of an hour or a day that agree in every dimension. */
export const Cell = z.object({
  ...dimensions,
  /** Of the flow, the agent or the tool, as it last was. */
  name: z.string().optional(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  /** How many have a cost without a known price; `cost` has that of the others. USD as decimal text. */
  unpriced: z.int(),
  cost: z.string(),
  savedCost: z.string(),
  input: z.int(),
  output: z.int(),
  cachedInput: z.int(),
  durations: SketchCounts,
});
export type Cell = z.infer<typeof Cell>;
type Dimensions = Pick<Cell, keyof typeof dimensions>;
export type Numbers = Omit<Cell, keyof Dimensions | 'name'>;

export const createNumbers = (): Numbers => ({
  completed: 0,
  failed: 0,
  cancelled: 0,
  unpriced: 0,
  cost: '0',
  savedCost: '0',
  input: 0,
  output: 0,
  cachedInput: 0,
  durations: {},
});

export const countRuns = ({ completed, failed, cancelled }: Numbers) => completed + failed + cancelled;

const counters = ['completed', 'failed', 'cancelled', 'unpriced', 'input', 'output', 'cachedInput'] as const;

/** Adds in place. Costs are added exactly. */
export function addNumbers(sum: Numbers, more: Numbers): void {
  for (const counter of counters) sum[counter] += more[counter];
  sum.cost = addExactly(sum.cost, more.cost);
  sum.savedCost = addExactly(sum.savedCost, more.savedCost);
  mergeInto(sum.durations, more.durations);
}

const addExactly = (one: string, other: string) =>
  other === '0' ? one : one === '0' ? other : new Big(one).plus(other).toFixed();

/** Adds cells up, so that one remains for each combination of dimensions. */
export function createCellSum() {
  const cells = new Map<string, Cell>();
  return {
    add(more: Iterable<Cell>): void {
      for (const cell of more) {
        const key = JSON.stringify(dimensionNames.map((name) => cell[name] ?? null));
        const sum = cells.get(key);
        if (!sum) {
          cells.set(key, { ...cell, durations: { ...cell.durations } });
          continue;
        }
        addNumbers(sum, cell);
        if (cell.name !== undefined) sum.name = cell.name;
      }
    },
    cells: (): Cell[] => [...cells.values()],
  };
}

/** What a run that ended adds to the numbers of each hour. */
export type CellsByHour = Map<string, Cell[]>;

/** The run and its own model calls count in the hour of its end, records of a batch in the hours in which they ended. */
export function toRunCells(run: Run): CellsByHour {
  const byHour: CellsByHour = new Map();
  if (run.completedAt === undefined || !isEnded(run.status)) return byHour;
  const source = toSource(run);
  const ended = toHour(run.completedAt);
  const models = Object.entries(run.use ?? {});
  byHour.set(ended, [
    runCell(run, run.status),
    ...models.map(([model, use]) => toModelCell({ ...source, model }, use)),
  ]);
  for (const [hour, records] of Object.entries(run.records ?? {})) {
    byHour.set(hour, [...(byHour.get(hour) ?? []), recordCell(source, records)]);
  }
  return byHour;
}

type EndStatus = NonNullable<Cell['status']>;
const isEnded = (status: Run['status']): status is EndStatus =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

function toSource({ kind, flowId, agentId, toolId, trigger, name }: Run) {
  const { productId, surfaceId, apiKeyId } = trigger;
  return { kind, name, ...omitUndefined({ flowId, agentId, toolId, productId, surfaceId, apiKeyId }) };
}

function runCell(run: Run, status: EndStatus): Cell {
  const { startedAt, completedAt = startedAt, totalCost, savedCost = '0', tokens } = run;
  const durationMs = Math.max(0, Date.parse(completedAt) - Date.parse(startedAt));
  return {
    ...toSource(run),
    ...(run.parentRunId && { inside: true as const }),
    ...createNumbers(),
    status,
    [status]: 1,
    ...toCost(totalCost, 1),
    savedCost: toPlain(savedCost),
    ...(tokens && { input: tokens.input, output: tokens.output, cachedInput: tokens.cachedInput }),
    durations: toSketch([durationMs]),
  };
}

const toModelCell = (
  { name: _ofRun, ...source }: ReturnType<typeof toSource> & { model: string },
  { calls, failed, tokens, cost, durations }: ModelUse,
): Cell => ({
  ...source,
  ...createNumbers(),
  completed: Math.max(0, calls - failed),
  failed,
  ...toCost(cost, calls),
  input: tokens.input,
  output: tokens.output,
  cachedInput: tokens.cachedInput,
  durations,
});

const recordCell = (
  source: ReturnType<typeof toSource>,
  { completed, failed, durations }: RecordsOfHour,
): Cell => ({ ...source, ...createNumbers(), kind: 'record', completed, failed, durations });

const toCost = (cost: string | null | undefined, runs: number) =>
  cost === null ? { unpriced: runs } : { cost: toPlain(cost ?? '0') };

/** Without an exponent. */
const toPlain = (decimal: string) => new Big(decimal).toFixed();
