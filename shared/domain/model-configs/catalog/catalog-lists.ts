import { loadCatalog } from '../../../adapters/models/catalog.ts';
import { providerKeys } from '../../../adapters/models/providers/provider-keys.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { readModelAccount } from '../model-account.ts';
import { toAvailableModels } from './available-models.ts';
import { type CatalogFilter, catalogView } from './catalog-view.ts';
import { toGroupedModels } from './grouped-models.ts';

export const catalogLists = /* @__PURE__ */ using(['table:read', 'provider-keys'], (scope: Scope) => {
  const load = async () => {
    const [catalog, account, deployment] = await Promise.all([
      loadCatalog(),
      readModelAccount(scope.table),
      providerKeys(),
    ]);
    return catalogView(catalog, { account, deployment });
  };
  return {
    available: async (filter: CatalogFilter) => toAvailableModels(await load(), filter),
    grouped: async (filter: CatalogFilter) => toGroupedModels(await load(), filter),
  };
});
