import * as z from 'zod';
import { scriptLanguages } from '../../../adapters/code/languages.ts';
import {
  hasSecretReference,
  replaceInScript,
  secretKeysInScript,
  secretNameProblem,
} from '../../../core/secret-references.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Script } from '../steps/template-text.ts';

export const transformDataStep = defineStepType({
  type: 'transform-data',
  summary: 'Run a script in a sandbox',
  config: z
    .strictObject({
      script: Script.meta({
        description:
          'Returns the output, or is a single expression. Reads the variables, may use await, has no network. `toLocaleString`, `localeCompare` and the like know all languages and zones, and are en-US and UTC without them; there is no `Intl`. Whole numbers beyond 2^53 are bigints, in the output too. `{{secret:KEY}}` is allowed inside literals; `secrets.KEY` is equivalent',
      }),
      language: z.enum(scriptLanguages).optional().meta({ description: 'Default: javascript' }),
      sandboxProvider: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'Accepted for compatibility: all scripts run in the same sandbox' }),
      timeoutMs: z.int().min(1).max(30_000).optional().meta({ description: 'Default: 5,000' }),
      ...commonConfig,
    })
    .superRefine(({ script }, context) => {
      const message = hasSecretReference(replaceInScript(script, () => ''))
        ? 'In a script, {{secret:KEY}} takes no filters'
        : secretNameProblem(secretKeysInScript(script));
      if (message)
        context.addIssue({ code: 'custom', params: { code: 'INVALID_SCRIPT' }, path: ['script'], message });
    }),
  output: z.unknown(),
  effects: false,
  reusable: false,
  takesSecrets: 'text',
  callsModels: false,
  permission: null,
});
