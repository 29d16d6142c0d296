import * as z from 'zod';
import { evaluateScript, Script, scriptLanguages, scriptProblem } from '../sandbox.ts';
import { defineStep } from '../step.ts';
import { plainMembers } from './members.ts';

export const transformDataStep = defineStep({
  type: 'transform-data',
  summary: 'Compute with a script in a sandbox',
  config: z
    .strictObject({
      script: Script.meta({
        description:
          'Returns the output, or is one expression. Sees the variables, may use await, reaches nothing',
      }),
      language: z.enum(scriptLanguages).optional().meta({ description: 'javascript without it' }),
      sandboxProvider: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'Any: all run in the same sandbox' }),
      timeoutMs: z.int().min(1).max(30_000).optional().meta({ description: '5,000 without it' }),
      ...plainMembers,
    })
    .superRefine(({ script, language }, context) => {
      const message = scriptProblem(script, language);
      if (message)
        context.addIssue({ code: 'custom', params: { code: 'INVALID_SCRIPT' }, path: ['script'], message });
    }),
  output: z.unknown(),
  effects: false,
  async run({ config: { script, language, timeoutMs }, variables }) {
    return { output: await evaluateScript(script, variables, { language, timeoutMs }) };
  },
});
