import { formatCost } from '../../adapters/ports/spending.ts';
import { truncate } from '../../core/text.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write, type WriteCondition } from '../../platform/data/writes.ts';
import { hourMarks } from './hour-marks.ts';
import { type EndStatus, type Run, type RunKey, runEntity } from './run.ts';
import { type RunTotals, toRunTokens } from './run-use.ts';

/** What is known of a run at its start. */
export type NewRun = Omit<
  Run,
  | 'status'
  | 'retriedBy'
  | 'stopReason'
  | 'completedAt'
  | 'totalCost'
  | 'savedCost'
  | 'cacheSavings'
  | 'tokens'
  | 'use'
  | 'counts'
  | 'records'
  | 'error'
  | 'warnings'
  | 'warningCodes'
>;

/** Lists a run from its start. Does nothing if it is listed already. */
export async function listRun(scope: Pick<Scope, 'table' | 'now'>, run: NewRun): Promise<void> {
  const { table } = scope;
  const insert = table.writes.insert(runEntity, { ...run, status: 'running' });
  // What crashes before it has anything else is found by its hour.
  const marked = run.kind === 'flow' && hourMarks(scope)(run.startedAt);
  await Promise.all([marked, table.commit([insert]).catch(onConditionFailed(undefined))]);
}

/** The row of a run that starts. Commit it with the item of the run, which must be new. */
export const createRunWrite = ({ table }: Pick<Scope, 'table'>, run: NewRun) =>
  table.writes.put(runEntity, { ...run, status: 'running' });

export interface RunEnding extends Pick<Run, 'stopReason' | 'counts' | 'records'> {
  status: EndStatus;
  /** ISO 8601. */
  at: string;
  error: { code: string; message: string } | null;
  totals: RunTotals;
  /** Otherwise the write is refused. */
  condition?: WriteCondition;
}

/** What a run says of itself that somebody has cancelled. */
export const runCancelled = 'The run was cancelled';

/** Why a run did not complete. */
export const runError = (status: EndStatus, message: string | null): RunEnding['error'] =>
  message === null ? null : { code: status === 'cancelled' ? 'CANCELLED' : 'RUN_FAILED', message };

/** The run has not ended, whether it is listed or not. */
export const isNotOver: WriteCondition = {
  expression: 'attribute_not_exists(#summary.#completedAt)',
};

/** The run is listed, and has not ended. */
export const isOpenRun: WriteCondition = {
  expression: `${exists.expression} AND ${isNotOver.expression}`,
};

const errorLengthMax = 500;

/** Commit it in the transaction that ends the run. */
export function createEndWrite({ table }: Pick<Scope, 'table'>, run: NewRun, ending: RunEnding): Write {
  const { status, stopReason, at: completedAt, error, counts, records, totals, condition } = ending;
  const ended = {
    ...run,
    status,
    completedAt,
    totalCost: formatCost(totals),
    tokens: toRunTokens(totals),
    ...(totals.saved.gt(0) && { savedCost: totals.saved.toFixed() }),
    ...(!totals.cacheSavings.eq(0) && { cacheSavings: totals.cacheSavings.toFixed() }),
    ...(stopReason && { stopReason }),
    ...(Object.keys(totals.use).length > 0 && { use: totals.use }),
    ...(counts && { counts }),
    ...(records && { records }),
    ...(totals.warnings.length > 0 && {
      warnings: [...totals.warnings],
      warningCodes: [...new Set(totals.warnings.map(({ code }) => code))],
    }),
    ...(error && { error: { code: error.code, message: truncate(error.message, errorLengthMax) } }),
  };
  return table.writes.put(runEntity, ended, condition);
}

/** A listed run waits for somebody or for a moment, or goes on. Refused if it is over: somebody may have cancelled it. */
export const statusWrite = (
  { table }: Pick<Scope, 'table'>,
  { id, parentRunId }: RunKey,
  status: 'running' | 'paused',
  more: Pick<Run, 'batchId'> = {},
): Write => table.writes.update(runEntity, { id, parentRunId }, { set: { status, ...more } }, isOpenRun);
