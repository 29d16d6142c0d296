import { memorySummaryStep } from '../../domain/flows/step-types/memory-summary.ts';
import { openNamedMemory } from '../step-support/memory-named.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';
import { memorySummary } from '../tool-support/memory.ts';

export const memorySummaryRunner = defineActingRunner(memorySummaryStep, {
  plan: async (step) => ({ request: await openNamedMemory(step), models: [step.config.model ?? 'default'] }),

  perform: async (memory, { config, ports, signal }) => ({
    output: (await memorySummary({ ...memory, ports, signal })) ?? config.defaultValue ?? '',
  }),
});
