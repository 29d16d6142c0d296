import * as z from 'zod';
import { PlainErrorHandling } from '../error-handling.ts';
import { defineStep } from '../step.ts';
import { Template, TemplatedJson } from '../templates.ts';
import { VariableName } from './members.ts';

export const setVariableStep = defineStep({
  type: 'set-variable',
  summary: 'Give a variable a value',
  config: z
    .strictObject({
      variableName: VariableName,
      value: TemplatedJson.optional().meta({
        description:
          'Any JSON. Texts in it are templates; one that is a single {{ reference }} keeps its type',
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
  takesSecrets: false,
  permission: null,
  run: async ({ config, renderValue }) => ({
    output: await renderValue(config.valueTemplate ?? config.value),
  }),
});
