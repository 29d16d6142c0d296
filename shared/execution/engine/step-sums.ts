import {
  addTotals,
  noTotals,
  type StepSpending,
  toStepSpending,
  totalsOfStep,
} from '../../domain/runs/run-use.ts';
import type { StepResult } from './engine.ts';

/** Sums up what the steps in a step took. Of a step that was tried again, the last try counts. */
export interface StepSums {
  add: (result: StepSpending & Pick<StepResult, 'path' | 'isSum' | 'startedAt' | 'reusedFrom'>) => void;
  facts: () => Partial<StepResult>;
  /** When the first of them began that this run has run; ISO 8601. */
  beganAt: () => string | undefined;
}

/** @param around That of the step around it, which takes the same. */
export function openSums(around: StepSums | undefined): StepSums {
  const results = new Map<string, StepSpending>();
  let first: string | undefined;
  return {
    beganAt: () => first,
    add(result) {
      const { path, isSum, startedAt, reusedFrom } = result;
      if (!reusedFrom && (first === undefined || startedAt < first)) first = startedAt;
      for (const each of isSum ? results.keys() : []) if (each.startsWith(`${path}.`)) results.delete(each);
      results.set(path, { ...result, isSum: undefined, warnings: undefined });
      around?.add(result);
    },
    facts() {
      const all = [...results.values()];
      const isPaid = all.some(
        ({ estimatedCost, promptTokens }) => estimatedCost !== undefined || promptTokens !== undefined,
      );
      const totals = all.map((result) => totalsOfStep(result)).reduce(addTotals, noTotals);
      const { saved } = totals;
      if (!isPaid && saved.eq(0)) return { isSum: true };
      return {
        isSum: true,
        ...toStepSpending(totals),
        ...(!saved.eq(0) && { savedCost: saved.toFixed() }),
      };
    },
  };
}
