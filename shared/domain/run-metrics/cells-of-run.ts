import Big from 'big.js';
import { omitUndefined } from '../../core/defined.ts';
import { type RecordsOfHour, type Run, toHour } from '../runs/run.ts';
import type { ModelUse } from '../runs/run-use.ts';
import { toSketch } from '../runs/sketch.ts';
import { type Cell, createNumbers } from './cell.ts';

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
