import * as z from 'zod';
import { KeyStatus } from './schemas.ts';

const SearchProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    displayLabel: z.string(),
    keyStatus: KeyStatus,
    supportsCustomKey: z.boolean(),
  })
  .meta({
    id: 'SearchProvider',
    examples: [
      {
        id: 'tavily',
        name: 'Tavily',
        provider: 'tavily',
        displayLabel: 'Tavily',
        keyStatus: 'custom',
        supportsCustomKey: true,
      },
    ],
  });

export const SearchProviders = z.object({ data: z.array(SearchProvider), total: z.int() });
