import { StepError } from '../../core/errors/step-error.ts';
import { trimTrailing } from '../../core/text.ts';
import type { DeploymentKeys } from '../models/providers/provider-keys.ts';
import type { SearchProvider } from '../ports/http-port.ts';

const baseUrls: Record<SearchProvider, string> = {
  exa: 'https://api.exa.ai',
  tavily: 'https://api.tavily.com',
  brave: 'https://api.search.brave.com/res/v1',
};

const toVariablePrefix = (provider: SearchProvider) => provider.toUpperCase() as Uppercase<SearchProvider>;

/** Whether the deployment has an account, which is in the same place as the model providers' keys. */
export const hasSearchAccount = (provider: SearchProvider, keys: DeploymentKeys): boolean =>
  Boolean(keys[`${toVariablePrefix(provider)}_API_KEY`]);

/** The tenant's own, else the deployment's, whose key goes only to the address that the deployment names. */
export function searchAccount(
  provider: SearchProvider,
  keys: DeploymentKeys,
  tenantKey?: { key: string; baseUrl?: string | undefined },
): { key: string; baseUrl: string } {
  const name = toVariablePrefix(provider);
  const key = tenantKey?.key ?? keys[`${name}_API_KEY`];
  if (!key) {
    throw new StepError(
      `The search provider ${provider} is not configured: store a key through POST /v1/provider-keys, or let the deployment set ${name}_API_KEY`,
    );
  }
  const baseUrl = tenantKey?.baseUrl ?? (keys[`${name}_BASE_URL`] || baseUrls[provider]);
  return { key, baseUrl: trimTrailing(baseUrl, '/') };
}
