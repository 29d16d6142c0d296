import * as z from 'zod';
import { searchServices } from '../builtin/web-search.ts';
import { defineToolType } from './tool-type.ts';

export const searchTool = defineToolType({
  type: 'search',
  summary: 'Searches the web for its argument `query`',
  config: z.strictObject({
    provider: z.enum(searchServices).optional().meta({
      description: 'Default: the first one that is configured',
    }),
    maxResults: z.int().min(1).max(20).optional().meta({ description: 'Default: 5' }),
  }),
  effects: true,
  takesSecrets: false,
  permission: null,
});
