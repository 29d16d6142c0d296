import { loadOnce } from '../../core/load-once.ts';
import { using } from '../../platform/aws/uses.ts';
import type { ModelPort } from '../model-port.ts';
import type { Ports } from '../ports.ts';
import type { ResolvedModel } from './resolved-model.ts';

const loadStream = loadOnce(() => import('./model-stream.ts'));
const loadEmbed = loadOnce(() => import('./embed.ts'));

/** The model ports with a resolver for model names. Loads the SDK with the first call. */
export const modelPorts = /* @__PURE__ */ using(
  ['bedrock'],
  (
    resolve: (name: string) => Promise<ResolvedModel>,
    alternatives: ModelPort['alternatives'] = async () => [],
  ): Pick<Ports, 'model' | 'embed'> => ({
    model: {
      async *stream(request) {
        const [{ streamModel }, model] = await Promise.all([loadStream(), resolve(request.model)]);
        yield* streamModel(model, request);
      },
      alternatives,
    },
    async embed(request) {
      const [{ embedTexts }, model] = await Promise.all([loadEmbed(), resolve(request.model)]);
      return embedTexts(model, request);
    },
  }),
);
