import * as z from 'zod';
import { defineStep } from '../step.ts';
import { renderTemplate, renderValue, Template, TemplatedJson } from '../templates.ts';
import { plainMembers, VariableName } from './members.ts';

export const templateStep = defineStep({
  type: 'template',
  summary: 'Fill a Liquid template',
  config: z.strictObject({
    template: Template.min(1),
    outputFormat: z.enum(['text', 'markdown', 'html']).optional(),
    inputs: z
      .record(VariableName, TemplatedJson)
      .optional()
      .meta({ description: 'Further variables of this template; texts in them are templates themselves' }),
    ...plainMembers,
  }),
  output: z.string(),
  effects: false,
  run({ config, variables }) {
    const inputs = renderValue(config.inputs ?? {}, variables) as object;
    return { output: renderTemplate(config.template, { ...variables, ...inputs }) };
  },
});
