import type { Catalog, ListedOffer } from '../../adapters/models/catalog.ts';
import { type KeySources, keyFor } from './key-choice.ts';

/** The model of a tenant that has chosen none: the first of the catalog that has a key, else the first at its maker. */
export function firstChoice({ models }: Catalog, sources: KeySources): ListedOffer {
  const chat = models.filter(({ category }) => category !== 'embedding');
  const offers = chat.flatMap((model) => model.offers.filter(({ hidden, tools }) => !hidden && tools));
  const choice =
    offers.find(({ provider }) => keyFor(sources, provider).status !== 'needs_setup') ?? offers[0];
  if (!choice) throw new Error('The catalog has no model for a default config');
  return choice;
}
