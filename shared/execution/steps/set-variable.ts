import { setVariableStep } from '../../domain/flows/step-types/set-variable.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const setVariable = defineStepRunner(setVariableStep, {
  run: async ({ config, renderValue }) => ({
    output: await renderValue(config.valueTemplate ?? config.value),
  }),
});
