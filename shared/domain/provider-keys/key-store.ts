import type * as z from 'zod';
import { invalidAt, notFound } from '../../core/errors.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { AuditEvent } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type AccountChange, accountWriter } from '../model-configs/account-writer.ts';
import {
  type KeyProvider,
  type KeySettings,
  type ModelAccount,
  type ProviderKey,
  providerKeyEntity,
  readModelAccount,
} from '../model-configs/model-account.ts';
import { previewOf } from '../secrets/secret-changes.ts';
import { providerKeyVault } from '../secrets/secret-vault.ts';
import { assertWithinLimit } from '../tenant-limits.ts';

/** Missing members stay unchanged. */
export interface KeyInput {
  name?: string | undefined;
  apiKey?: string | undefined;
  isActive?: boolean | undefined;
  isDefault?: boolean | undefined;
  settings?: z.infer<typeof KeySettings> | undefined;
}

export interface NewKey extends KeyInput {
  provider: KeyProvider;
  name: string;
  apiKey: string;
}

export type StoredKey = ProviderKey & { isDefault: boolean };

/** The tenant's own keys of providers. Their values are in Secrets Manager only. */
export const providerKeyStore = /* @__PURE__ */ using(['table:write', providerKeyVault], (scope: Scope) => {
  const change = accountWriter(scope);
  const vault = providerKeyVault(scope);
  const { table } = scope;
  const now = () => scope.now().toISOString();

  /** Deletes a value that no item names, which would otherwise cost money. */
  const discard = (id: string) =>
    vault
      .revoke(id)
      .catch((error) => log.warn('A value without a provider key could not be deleted', { id, error }));

  return {
    async list(): Promise<StoredKey[]> {
      const { keys, defaults } = await readModelAccount(table);
      return keys.map((key) => ({ ...key, isDefault: defaults.providerKeyIds[key.provider] === key.id }));
    },

    /** @throws 409 if the tenant can have no more. */
    async create(principal: Principal, { apiKey, isDefault = false, ...given }: NewKey): Promise<StoredKey> {
      const { provider, name, settings = null, isActive = true } = given;
      assertSettings(provider, settings);
      assertWithinLimit('provider keys', (await readModelAccount(table)).keys.length + 1);
      const [id, at] = [scope.newId('providerkey'), now()];
      const valueId = await vault.store(id, apiKey);
      const key: ProviderKey = {
        ...{ id, provider, name, settings, isActive, valueId, keyPreview: previewOf(apiKey) },
        ...{ userId: principal.userId, createdAt: at, updatedAt: at },
      };
      try {
        return await change(principal)((account) => {
          assertWithinLimit('provider keys', account.keys.length + 1);
          return {
            writes: [table.writes.insert(providerKeyEntity, key)],
            ...withDefault(account, key, isDefault),
            event: eventOf('provider-key.created', key),
          };
        });
      } catch (error) {
        await discard(id);
        throw error;
      }
    },

    /** @throws 404 */
    async update(
      principal: Principal,
      id: string,
      { apiKey, isDefault, ...given }: KeyInput,
    ): Promise<StoredKey> {
      const before = keyIn(await readModelAccount(table), id);
      if (given.settings) assertSettings(before.provider, given.settings);
      const rotated = apiKey !== undefined && {
        valueId: await vault.store(id, apiKey, { restores: false }),
        keyPreview: previewOf(apiKey),
      };
      return change(principal)((account) => {
        const current = keyIn(account, id);
        const { name = current.name, isActive = current.isActive, settings = current.settings } = given;
        const key = { ...current, ...rotated, name, isActive, settings, updatedAt: now() };
        return {
          writes: [table.writes.put(providerKeyEntity, key)],
          ...withDefault(account, key, isDefault),
          event: eventOf(rotated ? 'provider-key.rotated' : 'provider-key.updated', key),
        };
      });
    },

    /** @throws 404 */
    async remove(principal: Principal, id: string): Promise<void> {
      keyIn(await readModelAccount(table), id);
      // First, so that a retry after a failure finds the key, though without a value.
      await vault.revoke(id);
      await change(principal)((account): AccountChange<void> => {
        const key = keyIn(account, id);
        return {
          writes: [table.writes.remove(providerKeyEntity, { id })],
          defaults: withDefault(account, key, false).defaults,
          event: eventOf('provider-key.deleted', key),
          result: undefined,
        };
      });
    },
  };
});

/** @throws 404 */
function keyIn({ keys }: ModelAccount, id: string): ProviderKey {
  const key = keys.find((each) => each.id === id);
  if (!key) throw notFound('Provider key');
  return key;
}

/** The defaults after a key was made the default of its provider or not, and the key as it then is. */
function withDefault({ defaults }: ModelAccount, key: ProviderKey, wanted: boolean | undefined) {
  const { [key.provider]: current, ...others } = defaults.providerKeyIds;
  const id = wanted ? key.id : wanted === false && current === key.id ? undefined : current;
  const providerKeyIds = id === undefined ? others : { ...others, [key.provider]: id };
  return { defaults: { ...defaults, providerKeyIds }, result: { ...key, isDefault: id === key.id } };
}

/** @throws 400 for settings that the provider has no use for, and for a server without an address. */
function assertSettings(provider: KeyProvider, settings: z.infer<typeof KeySettings> | null): void {
  if (settings?.region !== undefined && provider !== 'bedrock') {
    throw invalidAt('settings.region', 'INVALID_VALUE', 'Only keys of bedrock have a region');
  }
  if (provider !== 'generic-openai' || settings?.baseURL !== undefined) return;
  const message = 'Required for generic-openai: the address of the server, such as https://example.com/v1';
  throw invalidAt('settings.baseURL', 'MISSING_REQUIRED_FIELD', message);
}

const eventOf = (action: string, { id, provider }: ProviderKey): AuditEvent => ({
  action,
  targetId: id,
  details: { provider },
});
