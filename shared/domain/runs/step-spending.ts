import Big from 'big.js';
import { formatCost, parseCost, type Spending } from '../../adapters/ports/spending.ts';
import type { Warning } from '../../core/warnings.ts';

/** What a step took, in the members of its result, which are stored and sent. Parts and savings of nothing are missing. */
export interface StepSpending {
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
  cachedTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** USD as decimal text; null if a call has no known price. */
  estimatedCost?: string | null | undefined;
  savedCost?: string | null | undefined;
  cacheSavings?: string | undefined;
  warnings?: readonly Warning[] | undefined;
  /** Whether it is the sum of steps that count by themselves. */
  isSum?: true | undefined;
}

export const toStepSpending = (spending: Spending) => ({
  promptTokens: spending.inputTokens,
  completionTokens: spending.outputTokens,
  ...(spending.cachedInputTokens > 0 && { cachedTokens: spending.cachedInputTokens }),
  ...(spending.reasoningTokens > 0 && { reasoningTokens: spending.reasoningTokens }),
  ...(!spending.cacheSavings.eq(0) && { cacheSavings: spending.cacheSavings.toFixed() }),
  estimatedCost: formatCost(spending),
});

export const parseStepSpending = (step: StepSpending): Spending => ({
  inputTokens: step.promptTokens ?? 0,
  outputTokens: step.completionTokens ?? 0,
  cachedInputTokens: step.cachedTokens ?? 0,
  reasoningTokens: step.reasoningTokens ?? 0,
  ...parseCost(step.estimatedCost),
  cacheSavings: new Big(step.cacheSavings ?? 0),
});
