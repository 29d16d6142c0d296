import { isListed } from '../../adapters/models/catalog.ts';
import { foldModelName, plainModelName } from '../../adapters/models/plain-model-name.ts';
import { isProviderName, providerNames } from '../../adapters/models/providers/provider-names.ts';
import { isConfigId } from './model-account.ts';

/** Why the catalog has no model of a name; undefined for the names of a tenant’s configs. */
export async function findModelNameProblem(text: string): Promise<string | undefined> {
  const name = plainModelName(text);
  // Only the check of the account knows the tenant's configs.
  if (foldModelName(name) === 'default' || isConfigId(name) || (await isListed(name))) return undefined;
  const [, written, modelId] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  const provider = written?.toLowerCase();
  if (!provider || !modelId) {
    return `The catalog has no model ${name}; write models outside of the catalog as <provider>/${name}`;
  }
  if (!isProviderName(provider)) {
    return `There is no model provider ${provider}; expected one of ${providerNames.join(', ')}`;
  }
  // A generic server may have any model.
  if (provider === 'generic-openai' || (await isListed(modelId, provider))) return undefined;
  return `The catalog does not list the model ${modelId} of ${provider}; check its name, or ignore this if the model is new`;
}
