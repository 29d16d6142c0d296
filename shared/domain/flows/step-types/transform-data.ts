import * as z from 'zod';
import { scriptLanguages } from '../../../adapters/code/evaluate-code.ts';
import {
  hasSecretReference,
  replaceInScript,
  secretKeysInScript,
  secretNameProblem,
} from '../../../core/secret-references.ts';
import { Script } from '../steps/code.ts';
import { plainMembers } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';

export const transformDataStep = defineStepType({
  type: 'transform-data',
  summary: 'Compute with a script in a sandbox',
  config: z
    .strictObject({
      script: Script.meta({
        description:
          'Returns the output, or is one expression. Sees the variables, may use await, reaches nothing. `{{secret:KEY}}` may stand in a literal; `secrets.KEY` is the same',
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
    .superRefine(({ script }, context) => {
      const message = hasSecretReference(replaceInScript(script, () => ''))
        ? 'In a script {{secret:KEY}} stands by itself, without filters'
        : secretNameProblem(secretKeysInScript(script));
      if (message)
        context.addIssue({ code: 'custom', params: { code: 'INVALID_SCRIPT' }, path: ['script'], message });
    }),
  output: z.unknown(),
  effects: false,
  takesSecrets: true,
  permission: null,
});
