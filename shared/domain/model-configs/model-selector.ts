import { loadCatalog } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { readModelAccount } from './model-account.ts';
import type { Selecting } from './select-model.ts';

/** For how long runs that start one after another in an invocation share what the first one has read. */
const sharedForMs = 2_000;
const recent = new WeakMap<Scope, { at: number; loading: Promise<Selecting> }>();

/** Loads what selects a tenant's models, once for each run. Runs of one scope that start within two seconds share it. */
export const modelSelector = /* @__PURE__ */ using(['table:read', 'provider-keys'], (scope: Scope) => {
  let loading: Promise<Selecting> | undefined;
  return () => {
    loading ??= shared(scope).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
});

function shared(scope: Scope): Promise<Selecting> {
  const at = scope.now().getTime();
  const known = recent.get(scope);
  if (known && Math.abs(at - known.at) < sharedForMs) return known.loading;
  const loading = load(scope);
  recent.set(scope, { at, loading });
  loading.catch(() => recent.delete(scope));
  return loading;
}

async function load(scope: Scope): Promise<Selecting> {
  const [catalog, account, deployment] = await Promise.all([
    loadCatalog(),
    readModelAccount(scope.table),
    providerKeys(),
  ]);
  return { catalog, account, deployment };
}
