import { type CatalogModel, findOffer, type ListedOffer } from '../../adapters/models/catalog.ts';
import { foldModelName } from '../../adapters/models/model-name.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { chooseConfigKey, chooseKey, getConfigExecutor, nameOnTheWire } from './config-view.ts';
import type { ModelConfig } from './model-account.ts';
import type { Selecting } from './select-model.ts';

/** `<provider>/<modelId>` of the oldest enabled config, else of the deployment, else the first with a key. @throws StepError */
export function chooseEmbeddingModel(world: Selecting): string {
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
export function isCallable({ provider, id }: ListedOffer, world: Selecting): boolean {
  const isDisabled = world.account.configs.some(
    (config) =>
      config.provider === provider &&
      foldModelName(config.modelId) === foldModelName(id) &&
      !config.isEnabled,
  );
  return !isDisabled && chooseKey(world, provider).status !== 'needs_setup';
}
