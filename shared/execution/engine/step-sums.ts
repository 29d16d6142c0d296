import { noTotals, plusTotals, type StepSpending, totalsOfStep } from '../../domain/runs/run-totals.ts';
import type { StepResult } from './engine.ts';

/** Sums up what the steps in a step took. */
export interface StepSums {
  add: (result: StepSpending) => void;
  facts: () => Partial<StepResult>;
}

/** @param around That of the step around it, which takes the same. */
export function openSums(around: StepSums | undefined): StepSums {
  let totals = noTotals;
  let isPaid = false;
  return {
    add(result) {
      isPaid ||= result.estimatedCost !== undefined || result.promptTokens !== undefined;
      totals = plusTotals(totals, totalsOfStep({ ...result, isSum: undefined }));
      around?.add(result);
    },
    facts() {
      const { tokens, cost, isPriced, saved, cacheSavings } = totals;
      if (!isPaid && saved.eq(0)) return { isSum: true };
      return {
        isSum: true,
        promptTokens: tokens.input,
        completionTokens: tokens.output,
        ...(tokens.cachedInput > 0 && { cachedTokens: tokens.cachedInput }),
        ...(tokens.reasoning > 0 && { reasoningTokens: tokens.reasoning }),
        ...(!cacheSavings.eq(0) && { cacheSavings: cacheSavings.toFixed() }),
        estimatedCost: isPriced ? cost.toFixed() : null,
        ...(!saved.eq(0) && { savedCost: saved.toFixed() }),
      };
    },
  };
}
