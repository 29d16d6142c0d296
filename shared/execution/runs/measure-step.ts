import { measure } from '../../core/invocation.ts';
import type { StepResult } from '../engine/engine.ts';

const stepMetrics = {
  completed: 'StepsCompleted',
  failed: 'StepsFailed',
  skipped: 'StepsSkipped',
} as const satisfies Record<StepResult['status'], string>;

/** Counts a step with its tokens and its cost, also if the run is retried later: the provider charges each call. */
export function measureStep({ status, promptTokens, completionTokens, estimatedCost }: StepResult): void {
  measure(stepMetrics[status]);
  if (promptTokens) measure('InputTokens', promptTokens);
  if (completionTokens) measure('OutputTokens', completionTokens);
  if (estimatedCost) measure('ModelCost', Number(estimatedCost));
}
