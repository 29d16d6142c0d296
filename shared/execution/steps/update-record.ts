import { StepError } from '../../core/errors/step-error.ts';
import { updateRecordStep } from '../../domain/flows/step-types/update-record.ts';
import { selectorOf } from '../step-support/record-selector.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const updateRecord = defineStepRunner(updateRecordStep, {
  async run(step) {
    const { updates, mergeStrategy = 'merge' } = step.config;
    const { description, selector } = await selectorOf(step);
    const filled = (await step.renderValue(updates)) as Record<string, unknown>;
    const record = selector && (await step.ports.records.update(selector, filled, mergeStrategy));
    if (record) return { output: record };
    throw new StepError(`There is no record ${description}`);
  },
});
