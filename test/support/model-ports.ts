import type { ModelFinish, ModelPort, ModelRequest } from '../../shared/adapters/model-port.ts';
import { resolveModel } from '../../shared/adapters/models/catalog.ts';
import { modelPorts } from '../../shared/adapters/models/model-ports.ts';
import { providerKeys } from '../../shared/adapters/models/provider-keys.ts';

/** The real models, by the keys of this process. */
export const liveModels = modelPorts(async (name) => resolveModel(name, await providerKeys()));

/** A model by hand, which writes the pieces that `answer` gives and then finishes. */
export const modelOf = (
  answer: (request: ModelRequest) => Promise<string | string[]> | string | string[],
  finish: Partial<ModelFinish> = {},
): ModelPort => ({
  async *stream(request) {
    const pieces = [await answer(request)].flat();
    for (const text of pieces) yield { type: 'text-delta', text };
    const usage = { inputTokens: 1, outputTokens: 1 };
    const facts = {
      ...{ stopReason: 'stop' as const, modelUsed: request.model, keySource: 'platform' as const },
      ...{ usage, cost: null },
    };
    const text = pieces.join('');
    const message = { role: 'assistant' as const, content: text };
    yield { type: 'finish', text, message, ...facts, ...finish };
  },
});

/** What a message says, whatever its parts. */
export const textIn = (message: ModelRequest['messages'][number] | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
