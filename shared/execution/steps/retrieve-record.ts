import { retrieveRecordStep } from '../../domain/flows/step-types/retrieve-record.ts';
import { renderSelector } from '../step-support/record-selector.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const retrieveRecordRunner = defineActingRunner(retrieveRecordStep, {
  plan: async (step) => ({ request: { selector: (await renderSelector(step)).selector } }),

  perform: async ({ selector }, { ports }) => ({
    output: (selector && (await ports.records.find(selector))) ?? null,
  }),
});
