import type { ModelLimits, ModelPort } from '../../adapters/ports/model-port.ts';
import { loadEachOnce } from '../../core/concurrency/load-once.ts';

/** What is known of the models of a flow, read once. */
export interface ForecastModels {
  limits: (name: string) => Promise<ModelLimits>;
  /** `<provider>/<modelId>` */
  modelUsed: (name: string) => Promise<string>;
  alternatives: (name: string) => Promise<string[]>;
}

export function openModels(port: Pick<ModelPort, 'limits' | 'identity' | 'alternatives'>): ForecastModels {
  return {
    limits: loadEachOnce(port.limits),
    alternatives: loadEachOnce(port.alternatives),
    modelUsed: loadEachOnce(async (name) => {
      const { provider, modelId } = (await port.identity(name)) as { provider?: string; modelId?: string };
      return `${provider}/${modelId}`;
    }),
  };
}
