import type { ModelLimits, ModelPort } from '../../adapters/ports/model-port.ts';

/** What is known of the models of a flow, read once. */
export interface ForecastModels {
  limits: (name: string) => Promise<ModelLimits>;
  /** `<provider>/<modelId>` */
  modelUsed: (name: string) => Promise<string>;
  alternatives: (name: string) => Promise<string[]>;
}

export function openModels(port: Pick<ModelPort, 'limits' | 'identity' | 'alternatives'>): ForecastModels {
  return {
    limits: once(port.limits),
    alternatives: once(port.alternatives),
    modelUsed: once(async (name) => {
      const { provider, modelId } = (await port.identity(name)) as { provider?: string; modelId?: string };
      return `${provider}/${modelId}`;
    }),
  };
}

function once<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (name) => {
    const reading = known.get(name) ?? read(name);
    known.set(name, reading);
    return reading;
  };
}
