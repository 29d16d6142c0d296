import { modelPorts } from '../../../shared/adapters/models/model-ports.ts';
import type { ResolvedModel } from '../../../shared/adapters/models/resolved-model.ts';
import type { ModelFinish, ModelPort, ModelRequest } from '../../../shared/adapters/ports/model-port.ts';
import { modelResolver } from '../../../shared/domain/model-configs/model-resolver.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';

const table = { tenant: 'user:none', queryAll: async () => [] };
const noTenant = { table, now: () => new Date() } as unknown as Scope;

/** The real models, by the keys of this process. */
export const liveModels = modelPorts((name) => modelResolver({ ...noTenant }).resolve(name));

/** The real models, whose names all mean one account; by default, the model is the name. */
export const singleModelPorts = (model: Omit<ResolvedModel, 'modelId'> & { modelId?: string }) =>
  modelPorts(async (name) => ({ modelId: name, ...model }));

/** Of a model that belongs to no tenant. */
export const noNames: Omit<ModelPort, 'stream'> = {
  alternatives: async () => [],
  limits: async () => ({}),
  embeddingModel: async () => 'embedder',
  identity: async (name) => ({ name }),
};

/** A model by hand, which writes the pieces that `answer` gives and then finishes. */
export const fakeModel = (
  answer: (request: ModelRequest) => Promise<string | string[]> | string | string[],
  finish: Partial<ModelFinish> = {},
): ModelPort => ({
  ...noNames,
  async *stream(request) {
    const pieces = [await answer(request)].flat();
    for (const text of pieces) yield { type: 'text-delta', text };
    const usage = { inputTokens: 1, outputTokens: 1 };
    const facts = {
      stopReason: 'stop' as const,
      modelUsed: request.model,
      keySource: 'platform' as const,
      usage,
      cost: null,
    };
    const text = pieces.join('');
    yield { type: 'finish', text, message: { role: 'assistant', content: text }, ...facts, ...finish };
  },
});

/** What a message says, whatever its parts. */
export const promptText = (message: ModelRequest['messages'][number] | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
