/**
 * The tenant's own keys of model and search providers: their items, their values in Secrets Manager, and which one is the
 * default.
 *
 * A value is stored before the item names it, under an id of its own, so that readers find either the old or the new value;
 * one that no item names after a refusal is deleted. Removing revokes the value first, so a retry still finds the key. Items
 * and defaults change through `account-writer.ts` in one transaction with an audit entry. Which key a call uses is decided in
 * `config-view.ts`.
 */

import * as z from 'zod';
import { invalidAt, notFound, ServiceError } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { AuditEvent } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { previewSecret } from '../secrets/secret-changes.ts';
import { providerKeyVault } from '../secrets/secret-vault.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import { type CallLimitsChange, mergeLimits } from '../throttles/limits.ts';
import { type AccountChange, accountWriter } from './account-writer.ts';
import {
  type KeyProvider,
  type ModelAccount,
  type ProviderKey,
  providerKeyEntity,
  readModelAccount,
} from './model-account.ts';
import { TenantUrl } from './tenant-url.ts';

/** The tenant's own keys of providers. Their values are in Secrets Manager only. */
export const providerKeyStore = /* @__PURE__ */ using(
  ['table:write', 'table:delete', providerKeyVault],
  (scope: Scope) => {
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
      async list(): Promise<ListedKey[]> {
        const { keys, defaults } = await readModelAccount(table);
        return keys.map((key) => ({ ...key, isDefault: defaults.providerKeyIds[key.provider] === key.id }));
      },

      /** @throws 409 if the tenant can have no more. */
      async create(
        principal: Principal,
        { apiKey, isDefault = false, ...fields }: NewKey,
      ): Promise<ListedKey> {
        const { provider, name, settings = null, isActive = true } = fields;
        assertSettings(provider, settings);
        assertWithinLimit('provider keys', (await readModelAccount(table)).keys.length + 1);
        const id = scope.newId('providerkey');
        const at = getIdCreatedAt(id);
        const valueId = await vault.store(id, apiKey);
        const key: ProviderKey = {
          id,
          provider,
          name,
          settings,
          limits: mergeLimits({}, fields.limits),
          isActive,
          valueId,
          keyPreview: previewSecret(apiKey),
          userId: principal.userId,
          createdAt: at,
          updatedAt: at,
        };
        try {
          return await change(principal)((account) => {
            assertWithinLimit('provider keys', account.keys.length + 1);
            return {
              writes: [table.writes.insert(providerKeyEntity, key)],
              ...applyDefault(account, key, isDefault),
              event: createKeyEvent('created', key),
            };
          });
        } catch (error) {
          // After an error of the table the transaction may have succeeded.
          if (error instanceof ServiceError) await discard(id);
          throw error;
        }
      },

      /** @throws 404 */
      async update(
        principal: Principal,
        id: string,
        { apiKey, isDefault, ...fields }: KeyInput,
      ): Promise<ListedKey> {
        const before = findAccountKey(await readModelAccount(table), id);
        if (fields.settings) assertSettings(before.provider, fields.settings);
        const rotated = apiKey !== undefined && {
          valueId: await vault.store(id, apiKey, { restores: false }),
          keyPreview: previewSecret(apiKey),
        };
        return change(principal)((account) => {
          const current = findAccountKey(account, id);
          const { name = current.name, isActive = current.isActive, settings = current.settings } = fields;
          const limits = mergeLimits(current.limits, fields.limits);
          const key = { ...current, ...rotated, name, isActive, settings, limits, updatedAt: now() };
          return {
            writes: [table.writes.put(providerKeyEntity, key)],
            ...applyDefault(account, key, isDefault),
            event: createKeyEvent(rotated ? 'rotated' : 'updated', key),
          };
        });
      },

      /** @throws 404 */
      async remove(principal: Principal, id: string): Promise<void> {
        findAccountKey(await readModelAccount(table), id);
        // First, so that a retry after a failure finds the key, though without a value.
        await vault.revoke(id);
        await change(principal)((account): AccountChange<void> => {
          const key = findAccountKey(account, id);
          return {
            writes: [table.writes.remove(providerKeyEntity, { id })],
            defaults: applyDefault(account, key, false).defaults,
            event: createKeyEvent('deleted', key),
            result: undefined,
          };
        });
      },
    };
  },
);

/** Where a key is used, if not at the provider's own address. */
export const KeySettings = z.strictObject({
  baseURL: TenantUrl.optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-[0-9]$/, 'Expected the name of an AWS region')
    .optional()
    .meta({ description: 'The AWS region of Bedrock' }),
});
export type KeySettings = z.infer<typeof KeySettings>;

/** Missing members stay unchanged. */
interface KeyInput {
  name?: string | undefined;
  apiKey?: string | undefined;
  isActive?: boolean | undefined;
  isDefault?: boolean | undefined;
  settings?: KeySettings | undefined;
  limits?: CallLimitsChange | undefined;
}

export interface NewKey extends KeyInput {
  provider: KeyProvider;
  name: string;
  apiKey: string;
}

export type ListedKey = ProviderKey & { isDefault: boolean };

/** @throws 404 */
function findAccountKey({ keys }: ModelAccount, id: string): ProviderKey {
  const key = keys.find((each) => each.id === id);
  if (!key) throw notFound('Provider key');
  return key;
}

/** The defaults after a key was made the default of its provider or not, and the key as it then is. */
function applyDefault({ defaults }: ModelAccount, key: ProviderKey, wanted: boolean | undefined) {
  const { [key.provider]: current, ...others } = defaults.providerKeyIds;
  const id = wanted ? key.id : wanted === false && current === key.id ? undefined : current;
  const providerKeyIds = id === undefined ? others : { ...others, [key.provider]: id };
  return { defaults: { ...defaults, providerKeyIds }, result: { ...key, isDefault: id === key.id } };
}

/** @throws 400 for settings that the provider has no use for, and for a server without an address. */
function assertSettings(provider: KeyProvider, settings: KeySettings | null): void {
  if (settings?.region !== undefined && provider !== 'bedrock') {
    throw invalidAt('settings.region', 'INVALID_VALUE', 'Only keys of bedrock have a region');
  }
  if (provider !== 'generic-openai' || settings?.baseURL !== undefined) return;
  const message = 'Required for generic-openai: the address of the server, such as https://example.com/v1';
  throw invalidAt('settings.baseURL', 'MISSING_REQUIRED_FIELD', message);
}

const createKeyEvent = (
  verb: 'created' | 'rotated' | 'updated' | 'deleted',
  { id, provider }: ProviderKey,
): AuditEvent => ({
  action: `provider-key.${verb}`,
  targetId: id,
  details: { provider },
});
