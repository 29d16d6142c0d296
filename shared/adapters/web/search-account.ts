import { StepError } from '../../core/step-error.ts';
import { withoutTrailing } from '../../core/text.ts';
import { providerKeys } from '../models/provider-keys.ts';
import type { Ports, SearchProvider } from '../ports.ts';

const baseUrls: Record<SearchProvider, string> = {
  exa: 'https://api.exa.ai',
  tavily: 'https://api.tavily.com',
  brave: 'https://api.search.brave.com/res/v1',
};

/** The deployment's account, from where the model providers' keys are. */
export const searchAccount: Ports['searchAccount'] = async (provider) => {
  const keys = await providerKeys();
  const name = provider.toUpperCase() as Uppercase<SearchProvider>;
  const key = keys[`${name}_API_KEY`];
  if (!key) throw new StepError(`There is no account with ${provider}: the service needs ${name}_API_KEY`);
  return { key, baseUrl: withoutTrailing(keys[`${name}_BASE_URL`] || baseUrls[provider], '/') };
};
