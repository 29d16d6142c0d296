import Big from 'big.js';
import { mergedWarnings, type Warning } from '../../core/warnings.ts';
import { stepWarnings } from '../../domain/runs/run-totals.ts';
import type { StepResult } from '../engine/engine.ts';
import type { ExecutionTotals } from '../events/flow-run-event.ts';

export function openTotals() {
  const tokens = { input: 0, output: 0, cachedInput: 0 };
  const steps = { completed: 0, failed: 0, skipped: 0 };
  let cost: Big | null = new Big(0);
  let warnings: readonly Warning[] = [];
  return {
    add(result: StepResult): void {
      const {
        status,
        promptTokens = 0,
        completionTokens = 0,
        cachedTokens = 0,
        estimatedCost,
        isSum,
      } = result;
      steps[status]++;
      warnings = mergedWarnings(warnings, stepWarnings(result));
      if (isSum) return;
      tokens.input += promptTokens;
      tokens.output += completionTokens;
      tokens.cachedInput += cachedTokens;
      cost = estimatedCost === null ? null : (cost?.plus(estimatedCost ?? 0) ?? null);
    },
    now: (): ExecutionTotals => ({
      tokens: { ...tokens },
      cost: cost?.toFixed() ?? null,
      warnings,
      completedSteps: steps.completed,
      failedSteps: steps.failed,
    }),
  };
}
