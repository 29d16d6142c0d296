import { deploymentUrl, type ModelCredentials } from '../../adapters/models/providers/credentials.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { searchAccount } from '../../adapters/web/search-account.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { createCachedReader } from '../secrets/secret-values.ts';
import { providerKeyReader } from '../secrets/secret-vault.ts';
import { findOwnKey } from './key-choice.ts';
import type { ModelAccount, ProviderKey } from './model-account.ts';
import { modelNames } from './model-names.ts';
import {
  listSelectionLimits,
  type ModelSelection,
  modelSelector,
  type Selecting,
  selectModel,
} from './select-model.ts';

/** Reads the account once. Order of keys: the config's, the tenant's default one, another of the tenant, the deployment's. */
export const modelResolver = /* @__PURE__ */ using(
  [modelSelector, modelNames, providerKeyReader],
  (scope: Scope) => {
    const loadSelecting = modelSelector(scope);
    const readValue = createCachedReader(scope, providerKeyReader(scope));

    async function readKeyValue({ id, valueId, provider }: ProviderKey): Promise<string> {
      const value = await readValue(id, valueId);
      if (value !== undefined) return value;
      throw new StepError(`The provider key ${id} of ${provider} was deleted; choose another one`);
    }

    async function loadCredentials(
      { provider, key }: ModelSelection,
      { deployment }: Selecting,
    ): Promise<ModelCredentials> {
      if (key.status === 'platform') return key.credentials;
      const { key: tenantKey, baseUrl = tenantKey?.settings?.baseURL } = key;
      return {
        apiKey: tenantKey && (await readKeyValue(tenantKey)),
        region: tenantKey?.settings?.region,
        baseUrl: baseUrl ?? deploymentUrl(provider, deployment),
        guarded: baseUrl !== undefined,
      };
    }

    async function resolveSelection(selection: ModelSelection, selecting: Selecting): Promise<ResolvedModel> {
      const { provider, modelId, key, config, price } = selection;
      const tenantKey = key.status === 'custom' ? key.key : undefined;
      const { temperature, maxTokens, promptCaching, customModel } = config?.settings ?? {};
      return {
        provider,
        modelId,
        price,
        configId: config?.id,
        settings: { temperature, maxTokens },
        promptCaching,
        dimensions: customModel?.dimensions,
        credentials: await loadCredentials(selection, selecting),
        keySource: key.status,
        providerKeyId: tenantKey?.id,
        statedOutputTokens: customModel?.maxOutputTokens,
        outputTokens: listSelectionLimits(selection, selecting.catalog).outputTokens,
        limits: (config?.limits || tenantKey?.limits) && { config: config?.limits, key: tenantKey?.limits },
        pausedUntil: findPauseEnd(selecting.account, tenantKey?.id ?? provider),
      };
    }

    return {
      /** By a config's id, `default`, `<provider>/<modelId>`, or a name of the catalog. @throws StepError that says what to do */
      async resolve(name: string): Promise<ResolvedModel> {
        const selecting = await loadSelecting();
        return resolveSelection(selectModel(name, selecting), selecting);
      },

      ...modelNames(scope, loadSelecting),

      /** The tenant's account at a search provider, else the deployment's. @throws StepError */
      searchAccount: (async (provider) => {
        const { account, deployment } = await loadSelecting();
        const key = findOwnKey(account, provider);
        const tenantKey = key && { key: await readKeyValue(key), baseUrl: key.settings?.baseURL };
        return searchAccount(provider, deployment, tenantKey);
      }) satisfies Ports['searchAccount'],
    };
  },
);

function findPauseEnd({ pauses = [] }: ModelAccount, id: string): Date | undefined {
  const pause = pauses.find((each) => each.id === id);
  return pause && new Date(pause.until);
}
