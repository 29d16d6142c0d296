import { loadCatalog } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { recentModelAccount } from './recent-model-account.ts';
import type { Selecting } from './select-model.ts';

/** Loads what selects a tenant's models, once for each run. */
export const modelSelector = /* @__PURE__ */ using(['table:read', 'provider-keys'], (scope: Scope) => {
  let loading: Promise<Selecting> | undefined;
  return () => {
    loading ??= load(scope).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
});

async function load(scope: Scope): Promise<Selecting> {
  const [catalog, account, deployment] = await Promise.all([
    loadCatalog(),
    recentModelAccount(scope),
    providerKeys(),
  ]);
  return { catalog, account, deployment };
}
