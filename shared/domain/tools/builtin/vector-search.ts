import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { defineBuiltinTool } from './builtin-tool.ts';

export const vectorSearchTool = defineBuiltinTool({
  id: 'vector-search',
  name: 'Vector search',
  description:
    'Finds the entries of a vector collection that are nearest to a text in meaning, nearest first.',
  category: 'data',
  services: [],
  permission: 'RECORDS:READ',
  effects: true,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    collection: nameUpTo(255).meta({ description: 'The name of the vector collection to search' }),
    query: z.string().min(1).max(8_000).meta({ description: 'The text to search for' }),
    embeddingModel: nameUpTo(255).meta({
      description:
        'The model that created the vectors of the collection, such as openai/text-embedding-3-small',
    }),
    limit: z.int().min(1).max(50).optional().meta({ description: 'How many entries to return. Default: 10' }),
    threshold: z
      .number()
      .min(-1)
      .max(1)
      .optional()
      .meta({ description: 'The lowest cosine similarity of an entry, from -1 to 1. Default: any' }),
  }),
  defaultConfig: { limit: 10 },
  documentationUrl: null,
});
