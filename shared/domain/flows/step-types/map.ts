import * as z from 'zod';
import { commonConfig, VariableName } from '../steps/common-config.ts';
import { concurrency, onError, StoredSteps } from '../steps/held-steps.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';
import { Expression } from '../steps/template-text.ts';

/** The most items of one map. */
export const mapItemsMax = 1_000;

const createConfig = (steps: z.ZodType<FlowStep[], unknown>) =>
  z
    .strictObject({
      items: Expression.meta({
        description: `A JavaScript expression with a list of at most 1,000 items`,
      }),
      as: VariableName.optional().meta({ description: 'The variable with the item. Default: item' }),
      indexAs: VariableName.optional().meta({
        description: 'The variable with the position of the item, from 0. Default: none',
      }),
      steps: steps.meta({
        description:
          'Run for each item. They see the variables from before the step; what they set is seen by the item alone',
      }),
      concurrency: concurrency.meta({ description: 'How many items run at once. Default: 5' }),
      onError: onError.meta({
        description:
          'fail (default): the first failure stops the other items and fails the step. continue: an item that fails is null in the output, and named in `<outputVariable>Errors`',
      }),
      output: Expression.optional().meta({
        description:
          'A JavaScript expression with the output of an item. Default: the output of its last step',
      }),
      ...commonConfig,
    })
    .superRefine(({ as = 'item', indexAs }, { addIssue }) => {
      if (indexAs !== as) return;
      const message = `The item is in ${as} already; give its position another variable`;
      addIssue({ code: 'custom', params: { code: 'INVALID_VALUE' }, path: ['indexAs'], message });
    });

export type MapConfig = z.output<ReturnType<typeof createConfig>>;

export const mapStep = defineStepType({
  type: 'map',
  summary: 'Run steps for each item of a list',
  config: createConfig(StoredSteps),
  createConfig,
  output: z.array(z.unknown()).meta({ description: 'The outputs of the items, in their order' }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
