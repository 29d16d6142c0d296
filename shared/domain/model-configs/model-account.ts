import * as z from 'zod';
import { providerNames } from '../../adapters/models/providers/provider-names.ts';
import { resourceId } from '../../core/ids.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { isConditionFailed, retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { exists } from '../../platform/data/writes.ts';
import { type Budget, budgetEntity, modelsPartition } from '../budgets/budget/budget.ts';
import { type KeyPause, keyPauseEntity, StoredLimits } from '../throttles/limits.ts';
import { StoredSettings } from './config-settings.ts';

export const ModelProvider = z.enum(providerNames);

export const searchProviderNames = ['exa', 'tavily', 'brave'] as const;

/** The providers of which a tenant may store its own keys. */
export const KeyProvider = z.enum([...providerNames, ...searchProviderNames]);
export type KeyProvider = z.infer<typeof KeyProvider>;

/** Whether a model's name is the id of a config. */
export const isConfigId = (name: string) => ConfigId.safeParse(name).success;
const ConfigId = resourceId('modelcfg');

export const ModelConfig = z.object({
  id: z.string(),
  provider: ModelProvider,
  modelId: z.string(),
  /** The only key that calls of this config may use; null for the usual order. */
  providerKeyId: z.string().nullable(),
  settings: StoredSettings,
  limits: StoredLimits.optional(),
  isEnabled: z.boolean(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

/** A tenant's own key of a provider, without its value, which is in Secrets Manager only. */
export const ProviderKey = z.object({
  id: z.string(),
  provider: KeyProvider,
  name: z.string(),
  settings: z.object({ baseURL: z.string().optional(), region: z.string().optional() }).nullable(),
  limits: StoredLimits.optional(),
  isActive: z.boolean(),
  keyPreview: z.string().nullable(),
  /** The version in Secrets Manager with its value. */
  valueId: z.string(),
  userId: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ProviderKey = z.infer<typeof ProviderKey>;

/** What is the default among the configs, and among the keys of each provider. */
export const ModelDefaults = z.object({
  modelConfigId: z.string().optional(),
  providerKeyIds: z.partialRecord(KeyProvider, z.string()),
  /** Counts the changes of the account, so that each is based on what it read, and processes know what they have kept. */
  revision: z.int(),
});
export type ModelDefaults = z.infer<typeof ModelDefaults>;

export const modelConfigEntity = defineEntity({
  type: 'modelConfig',
  schema: ModelConfig,
  key: ({ id }: { id: string }) => ({ PK: modelsPartition, SK: `CONFIG#${id}` }),
});

export const providerKeyEntity = defineEntity({
  type: 'providerKey',
  schema: ProviderKey,
  key: ({ id }: { id: string }) => ({ PK: modelsPartition, SK: `KEY#${id}` }),
});

/** One item says what is the default, so that there is never more than one. */
export const modelDefaultsEntity = defineEntity({
  type: 'modelDefaults',
  schema: ModelDefaults,
  key: (_source: object) => ({ PK: modelsPartition, SK: 'DEFAULTS' }),
});

/** The revision of an account, from its item. Undefined if that is unreadable. */
export function readAccountRevision(defaults: Record<string, unknown> | undefined): number | undefined {
  return defaults ? decodeReadable(modelDefaultsEntity, [defaults])[0]?.revision : 0;
}

/** Stores the pause of a key, then counts it as a change of the account, so that nobody goes on with one without it. */
export async function storePause({ table }: { table: TenantTable }, pause: KeyPause): Promise<void> {
  const { writes } = table;
  await table.commit([writes.put(keyPauseEntity, pause)]);
  const counted = writes.update(modelDefaultsEntity, {}, { add: { revision: 1 } }, exists);
  const first = writes.insert(modelDefaultsEntity, { providerKeyIds: {}, revision: 1 });
  await retryOnConflict(() =>
    table.commit([counted]).catch((error) => {
      if (!isConditionFailed(error)) throw error;
      return table.commit([first]);
    }),
  );
}

/** A tenant's configs and keys, the longest-existing first. */
export interface ModelAccount {
  configs: readonly ModelConfig[];
  keys: readonly ProviderKey[];
  defaults: ModelDefaults;
  budgets: readonly Budget[];
  /** Of the keys of providers. */
  pauses?: readonly KeyPause[];
}

/** Reads everything with one consistent Query. */
export async function readModelAccount(table: TenantTable): Promise<ModelAccount> {
  const items = await table.queryAll({ partition: modelsPartition, consistent: true });
  const filterType = (type: string) => items.filter((item) => item._type === type);
  const [defaults = { providerKeyIds: {}, revision: 0 }] = decodeReadable(
    modelDefaultsEntity,
    filterType(modelDefaultsEntity.type),
  );
  return {
    configs: decodeReadable(modelConfigEntity, filterType(modelConfigEntity.type)),
    keys: decodeReadable(providerKeyEntity, filterType(providerKeyEntity.type)),
    defaults,
    budgets: decodeReadable(budgetEntity, filterType(budgetEntity.type)),
    pauses: decodeReadable(keyPauseEntity, filterType(keyPauseEntity.type)),
  };
}

/** The keys of a provider that calls may use. */
export const listActiveKeys = ({ keys }: ModelAccount, provider: KeyProvider) =>
  keys.filter((key) => key.provider === provider && key.isActive);
