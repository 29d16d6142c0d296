import { setVariableStep } from '../../domain/flows/step-types/set-variable.ts';
import { defineFreeRunner } from '../step-support/step-runner.ts';

export const setVariableRunner = defineFreeRunner(setVariableStep, {
  run: async ({ config, renderValue }) => ({
    output: await renderValue(config.valueTemplate ?? config.value),
  }),
});
