import type { ModelLimits } from '../../adapters/ports/model-port.ts';
import { omitUndefined } from '../../core/defined.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { chooseEmbeddingModel } from './embedding-model.ts';
import {
  explainUnpriced,
  listAlternatives,
  listSelectionLimits,
  modelSelector,
  selectModel,
} from './select-model.ts';

/** What the names of models mean, without the keys to call them. */
export const modelNames = /* @__PURE__ */ using(
  [modelSelector],
  (scope: Scope, loadSelecting = modelSelector(scope)) => ({
    /** The same base model at the other configured providers, cheapest first, as `<provider>/<modelId>`. @throws StepError */
    async alternatives(name: string): Promise<string[]> {
      const selecting = await loadSelecting();
      return listAlternatives(selectModel(name, selecting), selecting);
    },

    /** What decides whether the budgets pay for a call. @throws StepError */
    async getPricing(name: string) {
      const selecting = await loadSelecting();
      const selection = selectModel(name, selecting);
      const limits = listSelectionLimits(selection, selecting.catalog);
      const unknown = explainUnpriced(selection, selecting);
      return { budgets: selecting.account.budgets, limits, configId: selection.config?.id, unknown };
    },

    /** @throws StepError */
    async limits(name: string): Promise<ModelLimits> {
      const selecting = await loadSelecting();
      return listSelectionLimits(selectModel(name, selecting), selecting.catalog);
    },

    /** Provider, model, server and settings: what decides an answer, whoever pays for it. @throws StepError */
    async identity(name: string): Promise<object> {
      const selecting = await loadSelecting();
      const { provider, modelId, key, config } = selectModel(name, selecting);
      const { temperature, maxTokens, customModel } = config?.settings ?? {};
      const { baseUrl, settings } = key.status === 'custom' ? { ...key, ...key.key } : {};
      const server = baseUrl ?? settings?.baseURL;
      const dimensions = customModel?.dimensions;
      return omitUndefined({ provider, modelId, server, temperature, maxTokens, dimensions });
    },

    /** @throws StepError if there is none. */
    embeddingModel: async (): Promise<string> => chooseEmbeddingModel(await loadSelecting()),
  }),
);
