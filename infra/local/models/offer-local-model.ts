import { providerKeys } from '../../../shared/adapters/models/providers/provider-keys.ts';
import { configStore } from '../../../shared/domain/model-configs/config-store.ts';
import { chooseConfigKey } from '../../../shared/domain/model-configs/key-choice.ts';
import { type ModelAccount, readModelAccount } from '../../../shared/domain/model-configs/model-account.ts';
import { type Principal, toTenant } from '../../../shared/platform/identity/principal.ts';
import { productionRuntime } from '../../../shared/platform/runtime.ts';
import type { LocalModel } from './find-local-model.ts';
import { standInId } from './stand-in.ts';

const principalOf = (userId: string): Principal => ({
  kind: 'session',
  tenant: toTenant(userId, null),
  userId,
  organizationId: null,
  environment: 'production',
  keyId: null,
  hash: null,
  permissions: [],
  sourceIp: null,
});

/**
 * Makes a local model the default of a user, unless the user has one that works. Takes the stand-in away when
 * it does not run: a model has its place.
 */
export async function offerLocalModel(userId: string, model: LocalModel | undefined): Promise<void> {
  const principal = principalOf(userId);
  const scope = productionRuntime().scopeOf(principal.tenant);
  const configs = configStore(scope);
  const account = await readModelAccount(scope.table);
  if (model && !(await hasDefault(account, model))) {
    const known = account.configs.find((config) => isOf(config, model.modelId));
    const { id } = known ?? (await configs.create(principal, configOf(model))).config;
    await configs.update(principal, id, { isDefault: true, isEnabled: true });
  }
  if (model?.modelId === standInId) return;
  for (const config of account.configs) {
    if (isOf(config, standInId)) await configs.remove(principal, config.id);
  }
}

const isOf = ({ provider, modelId }: ModelAccount['configs'][number], id: string) =>
  provider === 'generic-openai' && modelId === id;

/** What this machine offered before is no choice of the user. */
async function hasDefault(account: ModelAccount, { modelId }: LocalModel): Promise<boolean> {
  const chosen = account.configs.find(({ id }) => id === account.defaults.modelConfigId);
  if (!chosen) return false;
  if (chosen.provider === 'generic-openai') return chosen.modelId === modelId;
  const deployment = await providerKeys();
  return chooseConfigKey({ account, deployment }, chosen).status !== 'needs_setup';
}

const configOf = ({ modelId, displayName }: LocalModel) => ({
  provider: 'generic-openai' as const,
  modelId,
  settings: {
    customModel: {
      displayName,
      inputCostPer1kTokens: 0,
      outputCostPer1kTokens: 0,
      maxOutputTokens: 4_096,
      supportedResponseFormats: ['text', 'JSON'],
      supportsStreaming: true,
    },
  },
});
