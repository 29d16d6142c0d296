import * as z from 'zod';
import { defineStep } from '../step.ts';
import { fillerOf, Template, TemplatedJson } from '../templates.ts';
import { plainMembers, VariableName } from './members.ts';

export const templateStep = defineStep({
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
    ...plainMembers,
  }),
  output: z.string(),
  effects: false,
  takesSecrets: false,
  permission: null,
  async run({ config, variables, renderValue, ports, emit }) {
    const inputs = (await renderValue(config.inputs ?? {})) as object;
    const text = await fillerOf({ ...variables, ...inputs }, ports.sandbox).render(config.template);
    if (emit && config.streamOutput) {
      await emit({ type: 'text_start' });
      await emit({ type: 'text_delta', delta: text });
      await emit({ type: 'text_complete', text });
    }
    if (emit && config.asArtifact) {
      await emit({
        type: 'custom',
        name: 'artifact',
        value: { format: config.outputFormat ?? 'text', content: text },
      });
    }
    return { output: text };
  },
});
