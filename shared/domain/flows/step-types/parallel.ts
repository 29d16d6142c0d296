import * as z from 'zod';
import { commonConfig, VariableName } from '../steps/common-config.ts';
import { concurrency, onError, StoredSteps } from '../steps/held-steps.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';

const createConfig = (steps: z.ZodType<FlowStep[], unknown>) => {
  const branch = z.strictObject({ name: VariableName, steps });
  const branches = z
    .array(branch)
    .min(2)
    .max(20)
    .superRefine((list, { addIssue }) => {
      for (const [index, { name }] of list.entries()) {
        if (list.findIndex((other) => other.name === name) === index) continue;
        const message = `Another branch is called ${name}; give each branch its own name`;
        addIssue({ code: 'custom', params: { code: 'DUPLICATE_ID' }, path: [index, 'name'], message });
      }
    })
    .meta({
      description:
        'Start together. Each sees the variables from before the step and sets its own, which are in the output alone',
    });
  return z.strictObject({
    branches,
    concurrency: concurrency.meta({ description: 'How many branches run at once. Default: all' }),
    onError: onError.meta({
      description:
        'fail (default): the first failure stops the other branches and fails the step. continue: a branch that fails is left out of the output, and named in `<outputVariable>Errors`',
    }),
    ...commonConfig,
  });
};

export const parallelStep = defineStepType({
  type: 'parallel',
  summary: 'Run several lists of steps at the same time',
  config: createConfig(StoredSteps),
  createConfig,
  output: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .meta({ description: 'By the name of the branch, the variables that it set' }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
