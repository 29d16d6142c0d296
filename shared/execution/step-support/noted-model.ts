import { ModelCallFailed, type ModelEvent, type ModelFinish } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { beginNote, type NoteFacts, recordNote } from '../../core/tracing/active-span.ts';

type ModelPorts = Pick<Ports, 'model' | 'embed'>;

/** Notes the calls of models in the active span. */
export const recordModelCalls = ({ model, embed }: ModelPorts): ModelPorts => ({
  embed: (request) =>
    recordNote(
      { k: 'm', n: request.model, ty: 'embeddings' },
      () => embed(request),
      ({ modelUsed, promptTokens, estimatedCost }) => ({
        n: modelUsed,
        u: [promptTokens],
        ...(estimatedCost !== null && { c: estimatedCost }),
      }),
    ),
  model: {
    ...model,
    async *stream(request) {
      const note = recordModelCall(request.model);
      try {
        for await (const event of model.stream(request)) {
          note.see(event);
          yield event;
        }
      } catch (error) {
        note.fail(error);
        throw error;
      } finally {
        note.end();
      }
    },
  },
});

/** When a call began, its first piece, and how it ended. */
function recordModelCall(model: string) {
  const note = beginNote({ k: 'm', n: model });
  const began = Date.now();
  let facts: Partial<NoteFacts> = { st: 'e' };
  let first: number | undefined;
  return {
    see(event: ModelEvent): void {
      if (event.type === 'start') facts = { ...facts, n: event.modelUsed, ...toCharge(event.charged) };
      else first ??= Math.max(0, Date.now() - began);
      if (event.type === 'finish') facts = { st: undefined, ...toFinishFacts(event) };
    },
    fail(error: unknown): void {
      if (error instanceof ModelCallFailed) facts = { ...facts, n: error.source.modelUsed };
    },
    end: (): void => note?.end({ ...facts, ...(first !== undefined && { f: first }) }),
  };
}

type Charge = Pick<ModelFinish, 'usage' | 'cost'>;

const toCharge = ({ usage, cost }: Charge = { usage: null, cost: null }): Partial<NoteFacts> => ({
  ...(usage && {
    u: [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens ?? 0, usage.reasoningTokens ?? 0],
  }),
  ...(cost !== null && { c: cost }),
});

const toFinishFacts = ({ modelUsed, stopReason, ...charge }: ModelFinish): Partial<NoteFacts> => ({
  n: modelUsed,
  ...toCharge(charge),
  ...(stopReason !== 'stop' && { r: stopReason }),
});
