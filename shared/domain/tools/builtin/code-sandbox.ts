import * as z from 'zod';
import { scriptLanguages } from '../../../adapters/code/languages.ts';
import { defineBuiltinTool } from './builtin-tool.ts';

export const codeSandboxTool = defineBuiltinTool({
  id: 'code-sandbox',
  name: 'Code sandbox',
  description:
    'Runs JavaScript or TypeScript without a network, files or modules, and returns its result. A single expression needs no return. The code reads `input`.',
  category: 'code',
  services: [],
  permission: null,
  effects: false,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    code: z.string().min(1).max(100_000).meta({
      description:
        'The body of a function, which returns its result, such as return input.items.length; or one expression',
    }),
    input: z.unknown().optional().meta({ description: 'Any JSON, which the code reads as `input`' }),
    language: z
      .enum(scriptLanguages)
      .optional()
      .meta({ description: 'The language of the code. Default: javascript' }),
    timeoutMs: z
      .int()
      .min(1)
      .max(20_000)
      .optional()
      .meta({ description: 'The CPU time that the code may use, in milliseconds. Default: 5,000' }),
  }),
  defaultConfig: { language: 'javascript', timeoutMs: 5_000 },
  documentationUrl: null,
});
