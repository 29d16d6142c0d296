import type { Catalog, ListedOffer } from '../../adapters/models/catalog.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { chooseKey, type KeySources } from './key-choice.ts';
import type { ModelAccount, ModelConfig } from './model-account.ts';

export const answersPrompts = ({ settings }: Pick<ModelConfig, 'settings'>): boolean =>
  settings.customModel?.category !== 'embedding';

/** The config that takes the place of a default that is deleted or disabled: the longest-existing enabled one. */
export const findNextDefaultConfig = ({ configs }: ModelAccount, id: string): ModelConfig | undefined =>
  configs.find((config) => config.id !== id && config.isEnabled && answersPrompts(config));

/** @param config After its change. @param wanted Whether as default. @throws 400 if it cannot be that, or if no other one can */
export function decideDefault(
  account: ModelAccount,
  config: ModelConfig,
  wanted: boolean | undefined,
): string | undefined {
  const { id, isEnabled } = config;
  const current = account.defaults.modelConfigId;
  if (wanted && !isEnabled) {
    throw invalidAt('isDefault', 'INVALID_VALUE', 'A disabled config cannot be the default; enable it first');
  }
  if (wanted === false && current === id) {
    const message = 'One config is the default; make another one the default instead';
    throw invalidAt('isDefault', 'INVALID_VALUE', message);
  }
  if (!answersPrompts(config)) {
    if (!wanted) return current === id ? findNextDefaultConfig(account, id)?.id : current;
    throw invalidAt(
      'isDefault',
      'INVALID_VALUE',
      'An embedding model answers no prompts, so it cannot be the default',
    );
  }
  if (isEnabled) return wanted ? id : (current ?? id);
  if (current !== id) return current;
  const next = findNextDefaultConfig(account, id);
  if (next) return next.id;
  const message = 'This is the only enabled config; enable or create another one first';
  throw invalidAt('isEnabled', 'INVALID_VALUE', message);
}

/** The model of a tenant that has chosen none: the first of the catalog that has a key, else the first of all. */
export function findFirstUsableOffer({ models }: Catalog, sources: KeySources): ListedOffer {
  const chat = models.filter(({ category }) => category !== 'embedding');
  const offers = chat.flatMap((model) => model.offers.filter(({ hidden, tools }) => !hidden && tools));
  const choice =
    offers.find(({ provider }) => chooseKey(sources, provider).status !== 'needs_setup') ?? offers[0];
  if (!choice) throw new Error('The catalog has no model for a default config');
  return choice;
}
