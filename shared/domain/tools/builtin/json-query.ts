import * as z from 'zod';
import { defineBuiltinTool } from './builtin-tool.ts';

export const jsonQueryTool = defineBuiltinTool({
  id: 'json-query',
  name: 'JSON query',
  description:
    'Selects values from JSON by a JSONPath query (RFC 9535), such as $.items[?@.price < 10].name.',
  category: 'data',
  services: [],
  permission: null,
  effects: false,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    data: z.unknown().meta({ description: 'Any JSON, or a text that contains JSON' }),
    query: z.string().min(1).max(2_000).meta({
      description:
        'A JSONPath query, which begins with $. Filters compare with ==, !=, <, <=, > and >=: $.items[?@.price < 10].name',
    }),
    limit: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .meta({ description: 'How many values to return. Default: 100' }),
  }),
  defaultConfig: { limit: 100 },
  documentationUrl: 'https://www.rfc-editor.org/rfc/rfc9535',
});
