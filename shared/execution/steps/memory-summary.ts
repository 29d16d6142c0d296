import { memorySummaryStep } from '../../domain/flows/step-types/memory-summary.ts';
import { memorySummary } from '../memory/memory-summary.ts';
import { memoryOf } from '../step-support/memory-of.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const memorySummaryRunner = defineStepRunner(memorySummaryStep, {
  async run(step) {
    return { output: (await memorySummary(await memoryOf(step))) ?? step.config.defaultValue ?? '' };
  },
});
