import Big from 'big.js';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { StepResult } from '../engine/engine.ts';
import type { StepRow } from './events.ts';

/** Adds up what the steps of a run did. */
export function openRunTotals() {
  const steps: StepRow[] = [];
  const totalTokens = { input: 0, output: 0 };
  let cost = new Big(0);
  return {
    steps,
    totalTokens,
    totalCost: () => cost.toFixed(),
    count: (status: StepRow['status']) => steps.filter((step) => step.status === status).length,
    add({ name, type }: FlowStep, result: StepResult, { withPrompt }: { withPrompt: boolean }): void {
      const { promptTokens = null, completionTokens = null, estimatedCost = null, resolvedPrompt } = result;
      totalTokens.input += promptTokens ?? 0;
      totalTokens.output += completionTokens ?? 0;
      cost = cost.plus(estimatedCost ?? 0);
      const { stepId: id, path, status, output = null, error = null, durationMs, modelUsed = null } = result;
      steps.push({
        ...{ id, name, type, path, status, output, error, durationMs, modelUsed },
        ...{ promptTokens, completionTokens, estimatedCost },
        totalTokens:
          promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
        ...(withPrompt && resolvedPrompt !== undefined && { resolvedPrompt }),
      });
    },
  };
}
export type RunTotals = ReturnType<typeof openRunTotals>;
