import { loadCatalog } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { readModelAccount } from './model-account.ts';
import type { Selecting } from './select-model.ts';

/** Loads what selects a tenant's models, once: the catalog, the tenant's configs and keys, the deployment's keys. */
export const modelSelector = /* @__PURE__ */ using(['table:read', 'provider-keys'], (scope: Scope) => {
  let loading: Promise<Selecting> | undefined;
  const load = async (): Promise<Selecting> => {
    const [catalog, account, deployment] = await Promise.all([
      loadCatalog(),
      readModelAccount(scope.table),
      providerKeys(),
    ]);
    return { catalog, account, deployment };
  };
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
});
