import { StepError } from '../../core/step-error.ts';
import { withoutTrailing } from '../../core/text.ts';
import { providerKeys } from '../models/provider-keys.ts';
import type { Ports, SearchProvider } from '../ports.ts';

const baseUrls: Record<SearchProvider, string> = {
  exa: 'https://api.exa.ai',
  tavily: 'https://api.tavily.com',
  brave: 'https://api.search.brave.com/res/v1',
};

/** The deployment's account, from the same source as the model providers' keys. */
export const searchAccount: Ports['searchAccount'] = async (provider) => {
  const keys = await providerKeys();
  const name = provider.toUpperCase() as Uppercase<SearchProvider>;
  const key = keys[`${name}_API_KEY`];
  if (!key) throw new StepError(`The search provider ${provider} is not configured: set ${name}_API_KEY`);
  return { key, baseUrl: withoutTrailing(keys[`${name}_BASE_URL`] || baseUrls[provider], '/') };
};
