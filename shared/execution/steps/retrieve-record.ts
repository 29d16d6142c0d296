import { retrieveRecordStep } from '../../domain/flows/step-types/retrieve-record.ts';
import { selectorOf } from '../step-support/record-selector.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const retrieveRecord = defineStepRunner(retrieveRecordStep, {
  async run(step) {
    const { selector } = await selectorOf(step);
    return { output: (selector && (await step.ports.records.find(selector))) ?? null };
  },
});
