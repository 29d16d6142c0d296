import { type Credentials, deploymentUrl } from '../../adapters/models/credentials.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import type { ModelLimits } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { searchAccount } from '../../adapters/web/search-account.ts';
import { definedOf } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { providerKeyReader } from '../secrets/secret-vault.ts';
import { cachedValues } from '../secrets/value-cache.ts';
import { chooseEmbeddingModel } from './embedding-model.ts';
import { ownKey } from './key-choice.ts';
import type { ProviderKey } from './model-account.ts';
import { limitsOf } from './model-limits.ts';
import { modelSelector } from './model-selector.ts';
import { alternativesTo, type Selecting, type Selection, selectModel } from './select-model.ts';

/** Reads the account once. Order of keys: the config's, the tenant's default one, another of the tenant, the deployment's. */
export const modelResolver = /* @__PURE__ */ using([modelSelector, providerKeyReader], (scope: Scope) => {
  const world = modelSelector(scope);
  const readValue = cachedValues(scope, providerKeyReader(scope));

  async function keyValue({ id, valueId, provider }: ProviderKey): Promise<string> {
    const value = await readValue(id, valueId);
    if (value !== undefined) return value;
    throw new StepError(`The provider key ${id} of ${provider} was deleted; choose another one`);
  }

  async function credentialsOf(
    { provider, key }: Selection,
    { deployment }: Selecting,
  ): Promise<Credentials> {
    if (key.status === 'platform') return key.credentials;
    const { key: own, baseUrl = own?.settings?.baseURL } = key;
    return {
      apiKey: own && (await keyValue(own)),
      region: own?.settings?.region,
      baseUrl: baseUrl ?? deploymentUrl(provider, deployment),
      guarded: baseUrl !== undefined,
    };
  }

  async function resolved(selection: Selection, selecting: Selecting): Promise<ResolvedModel> {
    const { provider, modelId, key, config, price } = selection;
    const { temperature, maxTokens, promptCaching, customModel } = config?.settings ?? {};
    return {
      provider,
      modelId,
      price,
      configId: config?.id,
      settings: { temperature, maxTokens },
      promptCaching,
      dimensions: customModel?.dimensions,
      credentials: await credentialsOf(selection, selecting),
      keySource: key.status,
      providerKeyId: key.status === 'custom' ? key.key?.id : undefined,
    };
  }

  return {
    /** By a config's id, `default`, `<provider>/<modelId>`, or a name of the catalog. @throws StepError that says what to do */
    async resolve(name: string): Promise<ResolvedModel> {
      const selecting = await world();
      return resolved(selectModel(name, selecting), selecting);
    },

    /** The same base model at the other configured providers, cheapest first, as `<provider>/<modelId>`. @throws StepError */
    async alternatives(name: string): Promise<string[]> {
      const selecting = await world();
      return alternativesTo(selectModel(name, selecting), selecting);
    },

    /** What decides whether the budgets pay for a call. @throws StepError */
    async priced(name: string) {
      const selecting = await world();
      const selection = selectModel(name, selecting);
      const limits = limitsOf(selection, selecting.catalog);
      return { budgets: selecting.account.budgets, limits, configId: selection.config?.id };
    },

    /** @throws StepError */
    async limits(name: string): Promise<ModelLimits> {
      const selecting = await world();
      return limitsOf(selectModel(name, selecting), selecting.catalog);
    },

    /** Provider, model, server and settings: what decides an answer, whoever pays for it. @throws StepError */
    async identity(name: string): Promise<object> {
      const selecting = await world();
      const { provider, modelId, key, config } = selectModel(name, selecting);
      const { temperature, maxTokens, customModel } = config?.settings ?? {};
      const { baseUrl, settings } = key.status === 'custom' ? { ...key, ...key.key } : {};
      const server = baseUrl ?? settings?.baseURL;
      const dimensions = customModel?.dimensions;
      return definedOf({ provider, modelId, server, temperature, maxTokens, dimensions });
    },

    /** @throws StepError if there is none. */
    embeddingModel: async (): Promise<string> => chooseEmbeddingModel(await world()),

    /** The tenant's account at a search provider, else the deployment's. @throws StepError */
    searchAccount: (async (provider) => {
      const { account, deployment } = await world();
      const key = ownKey(account, provider);
      const own = key && { key: await keyValue(key), baseUrl: key.settings?.baseURL };
      return searchAccount(provider, deployment, own);
    }) satisfies Ports['searchAccount'],
  };
});
