import Big from 'big.js';
import { addSpending, noSpending, type Spending, sumSpending } from '../../adapters/ports/spending.ts';
import { mergeWarnings, type Warning } from '../../core/warnings.ts';
import type { ModelCall } from '../model-usage/model-calls.ts';
import { mergeUse, type RunUse, runUse } from './run-use.ts';
import { parseStepSpending, type StepSpending } from './step-spending.ts';

/** What a run took, with the runs inside; the calls of models without those of listed runs inside. */
export interface RunTotals extends Spending {
  /** USD that results cost when they were made, which were taken over. */
  saved: Big;
  use: RunUse;
  warnings: readonly Warning[];
}

export const noTotals: RunTotals = { ...noSpending, saved: new Big(0), use: {}, warnings: [] };

export const addTotals = (one: RunTotals, other: RunTotals): RunTotals => ({
  ...addSpending(one, other),
  saved: one.saved.plus(other.saved),
  use: mergeUse(one.use, other.use),
  warnings: mergeWarnings(one.warnings, other.warnings),
});

type SpendingOfStep = StepSpending & { stepId?: string | undefined };

export const totalsOfStep = (step: SpendingOfStep, use: RunUse = {}): RunTotals => ({
  ...(step.isSum ? noTotals : { ...parseStepSpending(step), saved: new Big(step.savedCost ?? 0) }),
  use,
  warnings: stepWarnings(step),
});

/** The warnings of a step itself: those of the steps in it are theirs. */
const stepWarnings = ({ warnings = [], stepId }: SpendingOfStep): Warning[] =>
  warnings.map((warning) => ({ ...(stepId && { stepId }), ...warning }));

/** Of calls that belong to no result. */
export const totalsOfCalls = (calls: readonly ModelCall[]): RunTotals => ({
  ...noTotals,
  ...sumSpending(calls),
  use: runUse(calls),
});
