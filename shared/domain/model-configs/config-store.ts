/**
 * The model configs of a tenant: creates, changes, deletes and lists them, and keeps one of them the default.
 * Every change goes through the item of defaults (`accountWriter`), in one transaction with the audit entry, so that
 * two changes at the same time cannot leave a deleted or disabled default. Deleting the default promotes another
 * config. The first list of a tenant without a default provisions one.
 * `configStore` writes and returns what was stored; `modelConfigs` returns the same as the API shows it
 * (`config-view.ts`). Callers: `functions/model-configs`, and the embedded stack to offer a local model.
 */
import { type ListedOffer, loadCatalog } from '../../adapters/models/catalog.ts';
import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import { mergeLimits } from '../throttles/limits.ts';
import { type AccountChange, accountWriter } from './account-writer.ts';
import {
  assertKnownModel,
  assertOwnKey,
  buildModelConfig,
  type ConfigInput,
  createConfigEvent,
  findConfig,
  type NewConfig,
} from './config-changes.ts';
import { type ConfigView, toConfigView } from './config-view.ts';
import {
  answersPrompts,
  decideDefault,
  findFirstUsableOffer,
  findNextDefaultConfig,
} from './default-config.ts';
import { type ModelAccount, type ModelConfig, modelConfigEntity, readModelAccount } from './model-account.ts';

/** The result of a write: the config, and the account as it was read. */
interface WrittenConfig {
  config: ModelConfig;
  isDefault: boolean;
  account: ModelAccount;
}

/** The tenant's model configs. Every change goes through the item of defaults, so that one of them is the default. */
export const configStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const change = accountWriter(scope);
  const { writes } = scope.table;

  return {
    /** @throws 400; 409 if the tenant can have no more. */
    async create(principal: Principal, input: NewConfig): Promise<WrittenConfig> {
      const catalog = await loadCatalog();
      return change(principal)((account) => {
        const config = buildModelConfig(scope, principal, input);
        assertKnownModel(catalog, config);
        assertOwnKey(account, config);
        assertWithinLimit('model configs', account.configs.length + 1);
        const { modelConfigId = answersPrompts(config) ? config.id : undefined } = account.defaults;
        return {
          writes: [writes.insert(modelConfigEntity, config)],
          defaults: { ...account.defaults, modelConfigId },
          event: createConfigEvent('created', config),
          result: { config, isDefault: modelConfigId === config.id, account },
        };
      });
    },

    /** Makes an enabled config the default, else a new one, if there is no default. @param choose The model of the new one. */
    provision: (
      principal: Principal,
      choose: (account: ModelAccount) => Pick<NewConfig, 'provider' | 'modelId'>,
    ): Promise<ModelAccount> =>
      change(principal)((account): AccountChange<ModelAccount> | { result: ModelAccount } => {
        if (account.defaults.modelConfigId) return { result: account };
        const existing = account.configs.find((config) => config.isEnabled && answersPrompts(config));
        const config = existing ?? buildModelConfig(scope, principal, choose(account));
        const defaults = { ...account.defaults, modelConfigId: config.id };
        const configs = existing ? account.configs : [...account.configs, config];
        return {
          writes: existing ? [] : [writes.insert(modelConfigEntity, config)],
          defaults,
          event: createConfigEvent('provisioned', config),
          result: { ...account, configs, defaults },
        };
      }),

    /** @throws 404; 400 for a key of another provider, a model without a price, or if no default would remain. */
    async update(principal: Principal, id: string, input: ConfigInput): Promise<WrittenConfig> {
      const catalog = await loadCatalog();
      return change(principal)((account): AccountChange<WrittenConfig> => {
        const before = findConfig(account, id);
        const { isEnabled = before.isEnabled, providerKeyId = before.providerKeyId } = input;
        const { settings = before.settings, isDefault } = input;
        const updatedAt = scope.now().toISOString();
        const limits = mergeLimits(before.limits, input.limits);
        const config = { ...before, isEnabled, providerKeyId, settings, limits, updatedAt };
        if (input.settings) assertKnownModel(catalog, config);
        if (input.settings || input.providerKeyId) assertOwnKey(account, config);
        const modelConfigId = decideDefault(account, config, isDefault);
        return {
          writes: [writes.put(modelConfigEntity, config)],
          defaults: { ...account.defaults, modelConfigId },
          event: createConfigEvent('updated', config),
          result: { config, isDefault: modelConfigId === id, account },
        };
      });
    },

    /** Deleting the default promotes another config in the same transaction. @throws 404 */
    remove: (principal: Principal, id: string): Promise<void> =>
      change(principal)((account): AccountChange<void> => {
        const config = findConfig(account, id);
        const { modelConfigId: current } = account.defaults;
        const modelConfigId = current === id ? findNextDefaultConfig(account, id)?.id : current;
        return {
          writes: [writes.remove(modelConfigEntity, { id })],
          defaults: { ...account.defaults, modelConfigId },
          event: createConfigEvent('deleted', config),
          result: undefined,
        };
      }),
  };
});

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
