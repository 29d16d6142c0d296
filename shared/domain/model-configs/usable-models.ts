import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { chooseConfigKey } from './config-view.ts';
import { isCallable } from './embedding-model.ts';
import { modelSelector } from './select-model.ts';

export interface UsableModel {
  /** `<provider>/<modelId>` */
  name: string;
  provider: string;
  /** Of the config. */
  createdAt?: string;
}

/** The models that calls of the tenant may use: those of its configs, then those of the catalog, each once. */
export const usableModels = /* @__PURE__ */ using(
  [modelSelector],
  (scope: Scope) => async (): Promise<UsableModel[]> => {
    const selecting = await modelSelector(scope)();
    const { account, catalog } = selecting;
    const configured = account.configs
      .filter((config) => config.isEnabled && chooseConfigKey(selecting, config).status !== 'needs_setup')
      .map(({ provider, modelId, createdAt }) => ({ name: `${provider}/${modelId}`, provider, createdAt }));
    const listed = catalog.models
      .flatMap(({ offers }) => offers)
      .filter((offer) => !offer.hidden && isCallable(offer, selecting))
      .map(({ provider, id }) => ({ name: `${provider}/${id}`, provider }));
    return [...new Map([...listed, ...configured.toReversed()].map((model) => [model.name, model])).values()];
  },
);
