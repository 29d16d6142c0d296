import * as z from 'zod';
import { commonConfig, VariableName } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template, TemplatedJson } from '../steps/template-text.ts';

export const templateStep = defineStepType({
  type: 'template',
  summary: 'Render a Liquid template',
  config: z.strictObject({
    template: Template.min(1),
    outputFormat: z
      .enum(['text', 'markdown', 'html', 'email-html'])
      .optional()
      .meta({ description: 'The format of the template, for clients that show the output' }),
    inputs: z
      .record(VariableName, TemplatedJson)
      .optional()
      .meta({ description: 'Additional variables for this template; their texts are templates too' }),
    streamOutput: z.boolean().optional().meta({ description: 'Streams the text to the caller' }),
    asArtifact: z
      .boolean()
      .optional()
      .meta({ description: 'Streams the text as the custom event `artifact`, with its format' }),
    sampleData: z.record(z.string(), z.unknown()).optional().meta({ description: 'For the editor only' }),
    ...commonConfig,
  }),
  textVariables: { member: 'template', names: ({ inputs }) => Object.keys(inputs ?? {}) },
  output: z.string(),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
