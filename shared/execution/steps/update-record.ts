import { StepError } from '../../core/errors/step-error.ts';
import { updateRecordStep } from '../../domain/flows/step-types/update-record.ts';
import { renderSelector } from '../step-support/record-selector.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const updateRecordRunner = defineActingRunner(updateRecordStep, {
  async plan(step) {
    const { updates, mergeStrategy = 'merge' } = step.config;
    const filled = (await step.renderValue(updates)) as Record<string, unknown>;
    return { request: { ...(await renderSelector(step)), updates: filled, mergeStrategy } };
  },

  async perform({ selector, description, updates, mergeStrategy }, { ports }) {
    const record = selector && (await ports.records.update(selector, updates, mergeStrategy));
    if (record) return { output: record };
    throw new StepError(`There is no record ${description}`);
  },
});
