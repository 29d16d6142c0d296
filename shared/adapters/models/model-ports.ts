import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { ModelPort } from '../ports/model-port.ts';
import type { Ports } from '../ports/ports.ts';
import type { ModelAdmission } from './provider-call.ts';
import type { ResolvedModel } from './resolved-model.ts';

const loadStream = loadOnce(() => import('./model-stream.ts'));
const loadEmbed = loadOnce(() => import('./embed.ts'));

/** The model ports with a resolver for model names. Loads the SDK with the first call. */
export const modelPorts = /* @__PURE__ */ using(
  ['bedrock'],
  (
    resolve: (name: string) => Promise<ResolvedModel>,
    names: Omit<ModelPort, 'stream'> = noNames,
    admission?: ModelAdmission,
  ): Pick<Ports, 'model' | 'embed'> => ({
    model: {
      async *stream(request) {
        const [{ streamModel }, model] = await Promise.all([loadStream(), resolve(request.model)]);
        yield* streamModel(model, request, admission);
      },
      ...names,
    },
    async embed(request) {
      const [{ embedTexts }, model] = await Promise.all([loadEmbed(), resolve(request.model)]);
      return embedTexts(model, request, admission);
    },
  }),
);

/** Where no tenant has configured models. */
const noNames: Omit<ModelPort, 'stream'> = {
  alternatives: async () => [],
  limits: async () => ({}),
  identity: async (name) => ({ name }),
  embeddingModel: async () => {
    throw new StepError('No embedding model is configured');
  },
};
