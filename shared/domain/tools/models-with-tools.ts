import { type CatalogModel, loadCatalog } from '../../adapters/models/catalog.ts';
import { isProviderName } from '../../adapters/models/providers/provider-names.ts';

export type ModelsByProvider = Readonly<Record<string, readonly string[]>>;

export async function modelsWithTools(): Promise<ModelsByProvider> {
  const { models } = await loadCatalog();
  const offers = models.flatMap(({ offers }: CatalogModel) => offers).filter(({ tools }) => tools);
  const byProvider = Map.groupBy(offers, ({ provider }) => provider);
  return Object.fromEntries([...byProvider].map(([provider, some]) => [provider, some.map(({ id }) => id)]));
}

/** Whether a model of the catalog can call tools; also a dated version of it. */
export async function canCallTools(provider: string, model: string): Promise<boolean> {
  const catalog = await loadCatalog();
  return isProviderName(provider) && catalog.offer(provider, model)?.tools === true;
}
