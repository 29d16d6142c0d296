import * as z from 'zod';
import { defineBuiltinTool } from './builtin-tool.ts';

export const calculatorTool = defineBuiltinTool({
  id: 'calculator',
  name: 'Calculator',
  description:
    'Evaluates an arithmetic expression in exact decimals with up to 50 significant digits: + - * / % ** and parentheses, abs ceil floor round(x, places) trunc sqrt cbrt exp ln log10 log2 min max sum avg, pi and e. 0.1 + 0.2 is 0.3.',
  category: 'data',
  services: [],
  permission: null,
  effects: false,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    expression: z.string().min(1).max(500).meta({ description: 'Such as (1200 * 1.25 - price) / 3' }),
    variables: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), z.union([z.number(), z.string().max(100)]))
      .optional()
      .meta({ description: 'Values of names in the expression. A text keeps all digits of a number' }),
  }),
  defaultConfig: {},
  documentationUrl: null,
});
