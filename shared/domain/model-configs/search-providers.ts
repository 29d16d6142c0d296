import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { hasSearchAccount } from '../../adapters/web/search-account.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { findOwnKey, type KeyStatus } from './key-choice.ts';
import { readModelAccount, searchProviderNames } from './model-account.ts';

const titles = { exa: 'Exa', tavily: 'Tavily', brave: 'Brave Search' };

/** The providers of web search, with whose key a search would be paid. */
export const searchProviders = /* @__PURE__ */ using(
  ['table:read', 'provider-keys'],
  (scope: Scope) => async () => {
    const [account, deployment] = await Promise.all([readModelAccount(scope.table), providerKeys()]);
    return searchProviderNames.map((provider) => {
      const tenantKey = findOwnKey(account, provider);
      const keyStatus: KeyStatus = tenantKey
        ? 'custom'
        : hasSearchAccount(provider, deployment)
          ? 'platform'
          : 'needs_setup';
      const displayLabel = titles[provider];
      return { id: provider, name: provider, provider, displayLabel, keyStatus, supportsCustomKey: true };
    });
  },
);
