import * as z from 'zod';
import { defineBuiltinTool } from './builtin-tool.ts';

const fetchCharactersMax = 200_000;

export const fetchUrlTool = defineBuiltinTool({
  id: 'fetch-url',
  name: 'Fetch URL',
  description:
    'Fetches a public page or file over HTTP or HTTPS. HTML becomes Markdown, JSON becomes a value, other text stays text. Long text is cut.',
  category: 'web',
  services: [],
  permission: null,
  effects: true,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    url: z
      .string()
      .min(1)
      .max(8_000)
      .regex(/^https?:\/\//i, 'Expected a URL that begins with http:// or https://')
      .meta({ description: 'The address of the page or file, which begins with http:// or https://' }),
    format: z.enum(['auto', 'markdown', 'text', 'html', 'json']).optional().meta({
      description:
        'The form of the result. auto: JSON as it is, HTML as markdown, other texts as they are. Default: auto',
    }),
    maxCharacters: z
      .int()
      .min(1)
      .max(fetchCharactersMax)
      .optional()
      .meta({ description: 'The longest text to return. Default: 50,000' }),
  }),
  defaultConfig: { format: 'auto', maxCharacters: 50_000 },
  documentationUrl: null,
});
