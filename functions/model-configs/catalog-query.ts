import * as z from 'zod';
import { Flag } from '../../shared/platform/data/lists/query-values.ts';

export const CatalogQuery = z.object({
  showAll: Flag.optional().meta({
    description:
      'Also models that are usually hidden: variants for a region or a date, previews, moving aliases',
  }),
  category: z.string().max(50).optional().meta({
    description: 'Only models of this `uiCategory`: flagship, general, fast, coding or embedding',
  }),
});

export const GroupedQuery = CatalogQuery.extend({
  configured: Flag.optional().meta({ description: 'Only models that the tenant has a config for' }),
});

/** The query as a filter of the catalog. */
export const toCatalogFilter = ({ showAll, category, configured }: z.infer<typeof GroupedQuery>) => ({
  showAll: showAll === 'true',
  category,
  configured: configured === 'true',
});
