import { recallMemoryStep } from '../../domain/flows/step-types/recall-memory.ts';
import { recallMemory } from '../memory/recall-memory.ts';
import { memoryOf } from '../step-support/memory-of.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const recallMemoryRunner = defineStepRunner(recallMemoryStep, {
  async run(step) {
    const { queryTemplate, thinkingLevel, responseLength, defaultValue = '' } = step.config;
    const question = await step.render(queryTemplate);
    const answer = await recallMemory(await memoryOf(step), { question, thinkingLevel, responseLength });
    return { output: answer ?? defaultValue, resolvedPrompt: question };
  },
});
