import { loadCatalog } from '../../adapters/models/catalog.ts';
import type { ProviderName } from '../../adapters/models/provider-names.ts';
import { invalidAt } from '../../core/errors.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { ModelAccount, ModelConfig } from './model-account.ts';

export interface NewConfig {
  provider: ProviderName;
  modelId: string;
  providerKeyId?: string | undefined;
  settings?: ConfigSettings | undefined;
}

/** Missing members stay unchanged. */
export interface ConfigInput {
  isDefault?: boolean | undefined;
  isEnabled?: boolean | undefined;
  providerKeyId?: string | null | undefined;
  settings?: ConfigSettings | undefined;
}

/** Whose protocol and keys a config uses. */
export const executorOf = ({
  provider,
  settings,
}: Pick<ModelConfig, 'provider' | 'settings'>): ProviderName =>
  settings.customModel?.executorProvider ?? provider;

/** @throws 400 unless the catalog lists the model, or the request says what it costs. */
export async function assertKnownModel({ provider, modelId, settings }: NewConfig): Promise<void> {
  if (provider === 'generic-openai' || settings?.customModel) return;
  const catalog = await loadCatalog();
  if (catalog.offer(provider, modelId)) return;
  const message = `The catalog lists no model ${modelId} of ${provider}; see GET /v1/model-configs/available, or describe the model in settings.customModel`;
  throw invalidAt('modelId', 'INVALID_VALUE', message);
}

/** @throws 400 unless the key is the tenant's and of the provider that the config calls. */
export function assertOwnKey({ keys }: ModelAccount, config: ModelConfig): void {
  const { providerKeyId } = config;
  if (providerKeyId === null) return;
  const key = keys.find(({ id }) => id === providerKeyId);
  const executor = executorOf(config);
  if (key?.provider === executor) return;
  const message = key
    ? `The provider key is of ${key.provider}, but the config calls ${executor}`
    : 'There is no such provider key; see GET /v1/provider-keys';
  throw invalidAt('providerKeyId', 'INVALID_VALUE', message);
}

/** The config that becomes the default when the current one is deleted or disabled: the longest-existing enabled one. */
export const successorOf = ({ configs }: ModelAccount, id: string): ModelConfig | undefined =>
  configs.find((config) => config.id !== id && config.isEnabled);
