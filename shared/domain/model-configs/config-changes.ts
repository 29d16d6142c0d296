import type { Catalog } from '../../adapters/models/catalog.ts';
import type { ProviderName } from '../../adapters/models/providers/provider-names.ts';
import { invalidAt, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { AuditEvent } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type CallLimitsChange, mergeLimits } from '../throttles/limits.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { ModelAccount, ModelConfig } from './model-account.ts';

export interface NewConfig {
  provider: ProviderName;
  modelId: string;
  providerKeyId?: string | undefined;
  settings?: ConfigSettings | undefined;
  limits?: CallLimitsChange | undefined;
}

/** Missing members stay unchanged. */
export interface ConfigInput {
  isDefault?: boolean | undefined;
  isEnabled?: boolean | undefined;
  providerKeyId?: string | null | undefined;
  settings?: ConfigSettings | undefined;
  limits?: CallLimitsChange | undefined;
}

export function buildModelConfig(
  { newId }: Pick<Scope, 'newId'>,
  { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
  { provider, modelId, providerKeyId, settings = {}, limits }: NewConfig,
): ModelConfig {
  const id = newId('modelcfg');
  const at = getIdCreatedAt(id);
  return {
    id,
    provider,
    modelId,
    settings,
    limits: mergeLimits({}, limits),
    isEnabled: true,
    providerKeyId: providerKeyId ?? null,
    userId,
    organizationId,
    createdAt: at,
    updatedAt: at,
  };
}

/** Whose protocol and keys a config uses. */
export const getConfigExecutor = ({
  provider,
  settings,
}: Pick<ModelConfig, 'provider' | 'settings'>): ProviderName =>
  settings.customModel?.executorProvider ?? provider;

/** @throws 404 */
export function findConfig({ configs }: ModelAccount, id: string): ModelConfig {
  const config = configs.find((each) => each.id === id);
  if (!config) throw notFound('Model config');
  return config;
}

/** @throws 400 unless the catalog lists the model, or the config says what it costs. */
export function assertKnownModel(catalog: Catalog, { provider, modelId, settings }: ModelConfig): void {
  if (provider === 'generic-openai' || settings.customModel || catalog.offer(provider, modelId)) return;
  const message = `The catalog lists no model ${modelId} of ${provider}; see GET /v1/model-configs/available, or describe the model in settings.customModel`;
  throw invalidAt('modelId', 'INVALID_VALUE', message);
}

/** @throws 400 unless the key is the tenant's and of the provider that the config calls. */
export function assertOwnKey({ keys }: ModelAccount, config: ModelConfig): void {
  const { providerKeyId } = config;
  if (providerKeyId === null) return;
  const key = keys.find(({ id }) => id === providerKeyId);
  const executor = getConfigExecutor(config);
  if (key?.provider === executor) return;
  const message = key
    ? `The provider key is of ${key.provider}, but the config calls ${executor}`
    : 'There is no such provider key; see GET /v1/provider-keys';
  throw invalidAt('providerKeyId', 'INVALID_VALUE', message);
}

export const createConfigEvent = (
  verb: 'created' | 'provisioned' | 'updated' | 'deleted',
  { id, provider, modelId }: ModelConfig,
): AuditEvent => ({
  action: `model-config.${verb}`,
  targetId: id,
  details: { provider, modelId },
});
