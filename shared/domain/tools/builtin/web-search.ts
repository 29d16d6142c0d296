import * as z from 'zod';
import type { SearchProvider } from '../../../adapters/ports/http-port.ts';
import { defineBuiltinTool } from './builtin-tool.ts';

export const searchServices = ['exa', 'tavily', 'brave'] as const satisfies SearchProvider[];

export const webSearchTool = defineBuiltinTool({
  id: 'web-search',
  name: 'Web search',
  description: 'Searches the web. Returns titles, URLs and snippets.',
  category: 'web',
  services: searchServices,
  permission: null,
  effects: true,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    query: z.string().min(1).max(1_000).meta({ description: 'What to search for' }),
    maxResults: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'How many results to return. Default: 5' }),
    service: z
      .enum(searchServices)
      .optional()
      .meta({ description: 'The search service. Default: the first one that is configured' }),
  }),
  defaultConfig: { maxResults: 5 },
  documentationUrl: null,
});
