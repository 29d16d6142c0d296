import {
  deploymentCredentials,
  type ModelCredentials,
  nameRequiredSetting,
} from '../../adapters/models/providers/credentials.ts';
import type { DeploymentKeys } from '../../adapters/models/providers/provider-keys.ts';
import type { ProviderName } from '../../adapters/models/providers/provider-names.ts';
import { getConfigExecutor } from './config-changes.ts';
import {
  type KeyProvider,
  listActiveKeys,
  type ModelAccount,
  type ModelConfig,
  type ProviderKey,
} from './model-account.ts';

export type KeyStatus = 'platform' | 'custom' | 'needs_setup';

/** Which account pays for a call. Without a key, the tenant's own server is called without one. */
export type KeyChoice =
  /** `baseUrl` takes the place of the key's own. */
  | { status: 'custom'; key?: ProviderKey | undefined; baseUrl?: string | undefined }
  | { status: 'platform'; credentials: ModelCredentials }
  /** `reason` is a sentence that says what to do. */
  | { status: 'needs_setup'; reason: string };

/** What the tenant and the deployment have. */
export interface KeySources {
  account: ModelAccount;
  deployment: DeploymentKeys;
}

/** The tenant's key for a provider: the default one, else the longest-existing active one. */
export function findOwnKey(account: ModelAccount, provider: KeyProvider): ProviderKey | undefined {
  const active = listActiveKeys(account, provider);
  return active.find(({ id }) => id === account.defaults.providerKeyIds[provider]) ?? active[0];
}

/** The key for a provider's models: the tenant's, else the deployment's. */
export function chooseKey({ account, deployment }: KeySources, provider: ProviderName): KeyChoice {
  const key = findOwnKey(account, provider);
  if (key) return { status: 'custom', key };
  const credentials = deploymentCredentials(provider, deployment);
  if (credentials) return { status: 'platform', credentials };
  const reason = `The model provider ${provider} is not configured: store a key through POST /v1/provider-keys, or let the deployment set ${nameRequiredSetting(provider)}`;
  return { status: 'needs_setup', reason };
}

/** The key for a config. A config that names a key uses no other one, and a tenant's server never gets the deployment's. */
export function chooseConfigKey(sources: KeySources, config: ModelConfig): KeyChoice {
  const provider = getConfigExecutor(config);
  const server = config.settings.customModel?.executorConfig?.baseURL;
  const choice = config.providerKeyId ? findNamedKey(sources.account, config) : chooseKey(sources, provider);
  if (server === undefined || (config.providerKeyId && choice.status !== 'custom')) return choice;
  if (choice.status === 'custom') return { ...choice, baseUrl: server };
  if (provider === 'generic-openai') return { status: 'custom', baseUrl: server };
  const reason = `The model config ${config.id} calls ${new URL(server).host}, which never gets a key of the deployment: store a key of ${provider} through POST /v1/provider-keys`;
  return { status: 'needs_setup', reason };
}

function findNamedKey({ keys }: ModelAccount, { id, providerKeyId }: ModelConfig): KeyChoice {
  const key = keys.find((each) => each.id === providerKeyId);
  if (key?.isActive) return { status: 'custom', key };
  const state = key ? 'is inactive' : 'was deleted';
  const reason = `The provider key of the model config ${id} ${state}: choose another one through PUT /v1/model-configs/${id}`;
  return { status: 'needs_setup', reason };
}
