import { invalidAt, notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { AuditEvent } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import { type AccountChange, accountWriter } from './account-writer.ts';
import {
  assertKnownModel,
  assertOwnKey,
  type ConfigInput,
  type NewConfig,
  successorOf,
} from './config-changes.ts';
import { type ModelAccount, type ModelConfig, modelConfigEntity } from './model-account.ts';

export type ConfigStore = ReturnType<typeof configStore>;

/** The result of a write: the config, and the account as it was read. */
export interface WrittenConfig {
  config: ModelConfig;
  isDefault: boolean;
  account: ModelAccount;
}

/** The tenant's model configs. Every change goes through the item of defaults, so that one of them is the default. */
export const configStore = /* @__PURE__ */ using(['table:write'], (scope: Scope) => {
  const change = accountWriter(scope);
  const { writes } = scope.table;
  const now = () => scope.now().toISOString();

  const create = async (principal: Principal, given: NewConfig): Promise<WrittenConfig> => {
    await assertKnownModel(given);
    return change(principal)((account) => {
      assertWithinLimit('model configs', account.configs.length + 1);
      const config = newConfig(scope, principal, given);
      assertOwnKey(account, config);
      const modelConfigId = account.defaults.modelConfigId ?? config.id;
      return {
        writes: [writes.insert(modelConfigEntity, config)],
        defaults: { ...account.defaults, modelConfigId },
        event: eventOf('model-config.created', config),
        result: { config, isDefault: modelConfigId === config.id, account },
      };
    });
  };

  return {
    create,

    /**
     * Gives an account without a default its default: an enabled config, else a new one.
     * @param choose The model of the new one.
     */
    provision: (
      principal: Principal,
      choose: (account: ModelAccount) => Pick<NewConfig, 'provider' | 'modelId'>,
    ): Promise<ModelAccount> =>
      change(principal)((account): AccountChange<ModelAccount> | { result: ModelAccount } => {
        if (account.defaults.modelConfigId) return { result: account };
        const existing = account.configs.find(({ isEnabled }) => isEnabled);
        const config = existing ?? newConfig(scope, principal, choose(account));
        const defaults = { ...account.defaults, modelConfigId: config.id };
        return {
          writes: existing ? [] : [writes.insert(modelConfigEntity, config)],
          defaults,
          event: eventOf('model-config.provisioned', config),
          result: {
            ...account,
            configs: existing ? account.configs : [...account.configs, config],
            defaults,
          },
        };
      }),

    /** @throws 404; 400 for a key of another provider, or if no default would remain. */
    update: (principal: Principal, id: string, given: ConfigInput): Promise<WrittenConfig> =>
      change(principal)((account): AccountChange<WrittenConfig> => {
        const before = configIn(account, id);
        const { isEnabled = before.isEnabled, providerKeyId = before.providerKeyId } = given;
        const settings = given.settings ?? before.settings;
        const config = { ...before, isEnabled, providerKeyId, settings, updatedAt: now() };
        if (given.providerKeyId !== undefined || given.settings) assertOwnKey(account, config);
        const modelConfigId = defaultAfter(account, config, given.isDefault);
        return {
          writes: [writes.put(modelConfigEntity, config)],
          defaults: { ...account.defaults, modelConfigId },
          event: eventOf('model-config.updated', config),
          result: { config, isDefault: modelConfigId === id, account },
        };
      }),

    /** Deleting the default promotes another config in the same transaction. @throws 404 */
    remove: (principal: Principal, id: string): Promise<void> =>
      change(principal)((account): AccountChange<void> => {
        const config = configIn(account, id);
        const { modelConfigId: current } = account.defaults;
        const modelConfigId = current === id ? successorOf(account, id)?.id : current;
        return {
          writes: [writes.remove(modelConfigEntity, { id })],
          defaults: { ...account.defaults, modelConfigId },
          event: eventOf('model-config.deleted', config),
          result: undefined,
        };
      }),
  };
});

function newConfig(
  { now, newId }: Scope,
  { userId, organizationId }: Principal,
  { provider, modelId, providerKeyId, settings = {} }: NewConfig,
): ModelConfig {
  const at = now().toISOString();
  return {
    ...{ id: newId('modelcfg'), provider, modelId, settings, isEnabled: true },
    ...{ providerKeyId: providerKeyId ?? null, userId, organizationId, createdAt: at, updatedAt: at },
  };
}

/** @throws 404 */
export function configIn({ configs }: ModelAccount, id: string): ModelConfig {
  const config = configs.find((each) => each.id === id);
  if (!config) throw notFound('Model config');
  return config;
}

/** Which config is the default after a change of this one. @throws 400 if it cannot be, or nothing else can. */
function defaultAfter(account: ModelAccount, { id, isEnabled }: ModelConfig, wanted?: boolean) {
  const current = account.defaults.modelConfigId;
  if (wanted) {
    if (isEnabled) return id;
    throw invalidAt('isDefault', 'INVALID_VALUE', 'A disabled config cannot be the default; enable it first');
  }
  if (current === id && wanted === false) {
    const message = 'One config is the default; make another one the default instead';
    throw invalidAt('isDefault', 'INVALID_VALUE', message);
  }
  if (isEnabled) return current ?? id;
  if (current !== id) return current;
  const next = successorOf(account, id)?.id;
  if (next) return next;
  const message = 'This is the only enabled config; enable or create another one first';
  throw invalidAt('isEnabled', 'INVALID_VALUE', message);
}

const eventOf = (action: string, { id, provider, modelId }: ModelConfig): AuditEvent => ({
  action,
  targetId: id,
  details: { provider, modelId },
});
