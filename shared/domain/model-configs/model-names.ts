import { type CatalogModel, findOffer, type ListedOffer } from '../../adapters/models/catalog.ts';
import { foldModelName } from '../../adapters/models/plain-model-name.ts';
import type { ModelLimits } from '../../adapters/ports/model-port.ts';
import { omitUndefined } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { getConfigExecutor } from './config-changes.ts';
import { nameOnTheWire } from './config-view.ts';
import { chooseConfigKey, chooseKey } from './key-choice.ts';
import type { ModelConfig } from './model-account.ts';
import {
  explainUnpriced,
  listAlternatives,
  listSelectionLimits,
  modelSelector,
  type Selecting,
  selectModel,
} from './select-model.ts';

/** What the names of models mean, without the keys to call them. */
export const modelNames = /* @__PURE__ */ using(
  [modelSelector],
  (scope: Scope, loadSelecting = modelSelector(scope)) => ({
    /** The same base model at the other configured providers, cheapest first, as `<provider>/<modelId>`. @throws StepError */
    async alternatives(name: string): Promise<string[]> {
      const selecting = await loadSelecting();
      return listAlternatives(selectModel(name, selecting), selecting);
    },

    /** What decides whether the budgets pay for a call. @throws StepError */
    async getPricing(name: string) {
      const selecting = await loadSelecting();
      const selection = selectModel(name, selecting);
      const limits = listSelectionLimits(selection, selecting.catalog);
      const unknown = explainUnpriced(selection, selecting);
      return { budgets: selecting.account.budgets, limits, configId: selection.config?.id, unknown };
    },

    /** @throws StepError */
    async limits(name: string): Promise<ModelLimits> {
      const selecting = await loadSelecting();
      return listSelectionLimits(selectModel(name, selecting), selecting.catalog);
    },

    /** Provider, model, server and settings: what decides an answer, whoever pays for it. @throws StepError */
    async identity(name: string): Promise<object> {
      const selecting = await loadSelecting();
      const { provider, modelId, key, config } = selectModel(name, selecting);
      const { temperature, maxTokens, customModel } = config?.settings ?? {};
      const { baseUrl, settings } = key.status === 'custom' ? { ...key, ...key.key } : {};
      const server = baseUrl ?? settings?.baseURL;
      const dimensions = customModel?.dimensions;
      return omitUndefined({ provider, modelId, server, temperature, maxTokens, dimensions });
    },

    /** @throws StepError if there is none. */
    embeddingModel: async (): Promise<string> => chooseEmbeddingModel(await loadSelecting()),
  }),
);

/** `<provider>/<modelId>` of the oldest enabled config, else of the deployment, else the first with a key. @throws StepError */
function chooseEmbeddingModel(world: Selecting): string {
  const config = world.account.configs.find((each) => isUsable(each, world));
  if (config) return `${config.provider}/${config.modelId}`;
  const { GENERIC_OPENAI_BASE_URL: server, GENERIC_OPENAI_EMBEDDING_MODEL: named } = world.deployment;
  if (server && named) return `generic-openai/${named}`;
  const offer = world.catalog.models
    .filter(isEmbedding)
    .flatMap(({ offers }) => offers)
    .find((each) => !each.hidden && isCallable(each, world));
  if (offer) return `${offer.provider}/${offer.id}`;
  throw new StepError(
    'No embedding model is configured: store a key of a provider with embeddings, such as openai, through POST /v1/provider-keys, or create a config of an embedding model through POST /v1/model-configs (settings.customModel.category "embedding" for a model behind generic-openai, such as Ollama or vLLM). A deployment names its own with GENERIC_OPENAI_EMBEDDING_MODEL',
  );
}

const isEmbedding = ({ category }: Pick<CatalogModel, 'category'>) => category === 'embedding';

function isUsable(config: ModelConfig, world: Selecting): boolean {
  return embeds(config, world) && config.isEnabled && chooseConfigKey(world, config).status !== 'needs_setup';
}

function embeds(config: ModelConfig, { catalog }: Selecting): boolean {
  const stated = config.settings.customModel?.category;
  if (stated) return stated === 'embedding';
  const name = nameOnTheWire(config);
  const offer = findOffer(catalog, getConfigExecutor(config), name);
  const base = offer && catalog.base(offer.base);
  // Of another model outside of the catalog, only the name says what it is.
  return base ? isEmbedding(base) : /embed/i.test(`${config.modelId} ${name}`);
}

/** Whether a model of the catalog may be called: its provider has a key, and no config disables it. */
function isCallable({ provider, id }: ListedOffer, world: Selecting): boolean {
  const isDisabled = world.account.configs.some(
    (config) =>
      config.provider === provider &&
      foldModelName(config.modelId) === foldModelName(id) &&
      !config.isEnabled,
  );
  return !isDisabled && chooseKey(world, provider).status !== 'needs_setup';
}

export interface UsableModel {
  /** `<provider>/<modelId>` */
  name: string;
  provider: string;
  /** Of the config. */
  createdAt?: string;
}

/** The models that calls of the tenant may use: those of its configs, then those of the catalog, each once. */
export const usableModels = /* @__PURE__ */ using(
  [modelSelector],
  (scope: Scope) => async (): Promise<UsableModel[]> => {
    const selecting = await modelSelector(scope)();
    const { account, catalog } = selecting;
    const configured = account.configs
      .filter((config) => config.isEnabled && chooseConfigKey(selecting, config).status !== 'needs_setup')
      .map(({ provider, modelId, createdAt }) => ({ name: `${provider}/${modelId}`, provider, createdAt }));
    const listed = catalog.models
      .flatMap(({ offers }) => offers)
      .filter((offer) => !offer.hidden && isCallable(offer, selecting))
      .map(({ provider, id }) => ({ name: `${provider}/${id}`, provider }));
    return [...new Map([...listed, ...configured.toReversed()].map((model) => [model.name, model])).values()];
  },
);
