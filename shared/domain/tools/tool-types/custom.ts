import * as z from 'zod';
import { scriptLanguages } from '../../../adapters/code/languages.ts';
import { Script } from '../../flows/steps/template-text.ts';
import { defineToolType } from './tool-type.ts';

export const customTool = defineToolType({
  type: 'custom',
  summary: 'Runs a script in a sandbox without a network',
  config: z.strictObject({
    code: Script.meta({
      description:
        'Returns the result, or is a single expression. Reads the arguments by name, or all as `input`. `{{secret:KEY}}` is allowed inside literals; `secrets.KEY` is equivalent',
    }),
    language: z.enum(scriptLanguages).optional().meta({ description: 'Default: javascript' }),
    timeoutMs: z.int().min(1).max(30_000).optional().meta({ description: 'Default: 5,000' }),
  }),
  effects: false,
  takesSecrets: 'text',
  permission: null,
});
