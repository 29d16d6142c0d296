import * as z from 'zod';
import { VariableName } from '../steps/common-config.ts';
import { PlainErrorHandling } from '../steps/error-handling.ts';
import { defineStepType } from '../steps/step.ts';
import { Template, TemplatedJson } from '../steps/template-text.ts';

export const setVariableStep = defineStepType({
  type: 'set-variable',
  summary: 'Set a variable',
  config: z
    .strictObject({
      variableName: VariableName,
      value: TemplatedJson.optional().meta({
        description:
          'Any JSON. Its texts are templates; a text that is a single {{ reference }} keeps the type of the value',
      }),
      valueTemplate: Template.optional(),
      errorHandling: PlainErrorHandling.optional(),
    })
    .refine(({ value, valueTemplate }) => (value === undefined) !== (valueTemplate === undefined), {
      path: ['value'],
      message: 'Give either value or valueTemplate',
    }),
  output: z.unknown(),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
