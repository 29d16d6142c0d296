import * as z from 'zod';
import { resourceId } from '../../../core/ids.ts';
import { commonConfig, VariableName } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { TemplatedJson } from '../steps/template-text.ts';

export const flowStep = defineStepType({
  type: 'flow',
  summary:
    'Run another flow. Its steps are part of the run, with their results, costs and waits. They see the inputs and the built-in variables alone',
  config: z.strictObject({
    flowId: resourceId('flow').meta({ description: 'Not a template' }),
    version: z
      .union([z.literal('published'), resourceId('flowver')])
      .optional()
      .meta({
        description:
          'published (default): the version that is published when the run starts; or the id of a version that was published',
      }),
    inputs: z.record(VariableName, TemplatedJson).optional().meta({
      description:
        'The variables that the flow begins with: any JSON, whose texts are templates. A text that is a single {{ reference }} keeps the type of the value',
    }),
    ...commonConfig,
  }),
  output: z.unknown().meta({ description: 'The output of the last step of the flow' }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: true,
  permission: 'FLOWS:EXECUTE',
});
