import * as z from 'zod';
import { commonConfig, VariableName } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template, TemplatedJson } from '../steps/template-text.ts';

export const templateStep = defineStepType({
  type: 'template',
  summary: 'Fill a Liquid template',
  config: z.strictObject({
    template: Template.min(1),
    outputFormat: z
      .enum(['text', 'markdown', 'html', 'email-html'])
      .optional()
      .meta({ description: 'What the template is written in; for those who show the output' }),
    inputs: z
      .record(VariableName, TemplatedJson)
      .optional()
      .meta({ description: 'Further variables of this template; texts in them are templates themselves' }),
    streamOutput: z
      .boolean()
      .optional()
      .meta({ description: 'Shows the text to the caller of a streamed run' }),
    asArtifact: z
      .boolean()
      .optional()
      .meta({ description: 'Shows it as the custom event `artifact`, with its format' }),
    sampleData: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Kept for the editor alone' }),
    ...commonConfig,
  }),
  output: z.string(),
  effects: false,
  takesSecrets: false,
  permission: null,
});
