import { omitUndefined } from '../../core/defined.ts';
import type { ModelCallSource, ModelSettings, PromptCaching } from '../ports/model-port.ts';
import type { CallLimits } from './call-limits.ts';
import type { ModelPrice } from './cost.ts';
import type { ModelCredentials } from './providers/credentials.ts';
import type { ProviderName } from './providers/provider-names.ts';

/** All that decides where a model call goes, with which key, and at which price. */
export interface ResolvedModel {
  provider: ProviderName;
  modelId: string;
  credentials: ModelCredentials;
  keySource: KeySource;
  /** The model config that selected the model, if any. */
  configId?: string | undefined;
  /** The tenant's provider key, if it is one. */
  providerKeyId?: string | undefined;
  /** The price, if it is not the catalog's. */
  price?: ModelPrice | undefined;
  /** The length of the vectors to ask for. Default: that of the model. */
  dimensions?: number | undefined;
  /** Used where a request gives none of its own. */
  settings?: Pick<ModelSettings, 'temperature' | 'maxTokens'> | undefined;
  promptCaching?: PromptCaching | undefined;
  /** The longest response that its config states. No provider knows of it, so each request says it. */
  statedOutputTokens?: number | undefined;
  /** The longest response, if it is known. */
  outputTokens?: number | undefined;
  /** As they were when the run read them. */
  limits?: { config?: CallLimits | undefined; key?: CallLimits | undefined } | undefined;
  /** Until when the provider takes no calls with the key. */
  pausedUntil?: Date | undefined;
}

/** As far as the run has read. */
export const hasSpendLimit = ({ limits }: Pick<ResolvedModel, 'limits'>): boolean =>
  limits?.config?.usdPerMinute !== undefined || limits?.key?.usdPerMinute !== undefined;

type KeySource = 'platform' | 'custom';

export const qualifyModelName = ({ provider, modelId }: Pick<ResolvedModel, 'provider' | 'modelId'>) =>
  `${provider}/${modelId}`;

export const modelCallSource = (model: ResolvedModel): ModelCallSource => ({
  modelUsed: qualifyModelName(model),
  keySource: model.keySource,
  ...omitUndefined({ configId: model.configId, providerKeyId: model.providerKeyId }),
});
