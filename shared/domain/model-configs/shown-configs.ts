import { type ListedOffer, loadCatalog } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { configStore, type WrittenConfig } from './config-store.ts';
import { type ConfigView, toConfigView } from './config-view.ts';
import { findFirstUsableOffer } from './default-config.ts';
import { readModelAccount } from './model-account.ts';

const toNewConfig = ({ provider, id }: ListedOffer) => ({ provider, modelId: id });

export const modelConfigs = /* @__PURE__ */ using(
  ['table:write', 'provider-keys', configStore],
  (scope: Scope) => {
    const store = configStore(scope);
    const loadContext = () => Promise.all([loadCatalog(), providerKeys()]);

    const toView = async ({ config, isDefault, account }: WrittenConfig): Promise<ConfigView> => {
      const [catalog, deployment] = await loadContext();
      return toConfigView(catalog, { account, deployment }, config, isDefault);
    };

    return {
      create: async (...args: Parameters<typeof store.create>) => toView(await store.create(...args)),
      update: async (...args: Parameters<typeof store.update>) => toView(await store.update(...args)),
      remove: store.remove,

      /** All configs, the longest-existing first. Provisions a default one if there is none. */
      async list(principal: Principal): Promise<ConfigView[]> {
        const [[catalog, deployment], found] = await Promise.all([
          loadContext(),
          readModelAccount(scope.table),
        ]);
        const account = found.defaults.modelConfigId
          ? found
          : await store.provision(principal, (current) =>
              toNewConfig(findFirstUsableOffer(catalog, { account: current, deployment })),
            );
        const { configs, defaults } = account;
        return configs.map((config) =>
          toConfigView(catalog, { account, deployment }, config, config.id === defaults.modelConfigId),
        );
      },
    };
  },
);
