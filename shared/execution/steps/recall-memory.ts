import { recallMemoryStep } from '../../domain/flows/step-types/recall-memory.ts';
import { openNamedMemory } from '../step-support/memory-named.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';
import { recallMemory } from '../tool-support/memory.ts';

export const recallMemoryRunner = defineActingRunner(recallMemoryStep, {
  async plan(step) {
    const { queryTemplate, thinkingLevel, responseLength, defaultValue = '' } = step.config;
    const question = await step.render(queryTemplate);
    const memory = await openNamedMemory(step);
    return {
      request: { memory, recall: { question, thinkingLevel, responseLength }, defaultValue },
      models: [memory.model],
    };
  },

  async perform({ memory, recall, defaultValue }, { ports, signal }) {
    const answer = await recallMemory({ ...memory, ports, signal }, recall);
    return { output: answer ?? defaultValue, resolvedPrompt: recall.question };
  },
});
