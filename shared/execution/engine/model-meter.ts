import type { ModelCallSource } from '../../adapters/model-port.ts';
import type { Ports } from '../../adapters/ports.ts';
import { type ModelCalls, mergedCalls, modelCall, sumOf } from '../../domain/model-usage/model-calls.ts';

/** The facts of a step's model calls. */
export interface ModelFacts {
  /** The model of the last call. */
  modelUsed: string;
  promptTokens: number;
  completionTokens: number;
  /** USD as decimal text; null if a call has no known price. */
  estimatedCost: string | null;
}

/** Counts the model calls of a step: every one that the provider answered, whatever became of the answer. One that broke off has no tokens and no price. */
export interface ModelMeter {
  ports: Ports;
  calls: () => ModelCalls[];
  /** The calls since it was last asked for them. */
  drain: () => ModelCalls[];
  facts: () => Partial<ModelFacts>;
}

export function openMeter(ports: Ports): ModelMeter {
  const all: ModelCalls[] = [];
  let drained = 0;
  return {
    ports: {
      ...ports,
      model: {
        ...ports.model,
        async *stream(request) {
          let unfinished: ModelCallSource | undefined;
          try {
            for await (const event of ports.model.stream(request)) {
              if (event.type === 'start') unfinished = event;
              if (event.type === 'finish') {
                unfinished = undefined;
                all.push(modelCall(event));
              }
              yield event;
            }
          } finally {
            // The provider charges what it has sent, but did not say how much that is.
            if (unfinished) all.push(modelCall({ ...unfinished, usage: null, cost: null }));
          }
        },
      },
      async embed(request) {
        const answer = await ports.embed(request);
        const { promptTokens: inputTokens, estimatedCost: cost } = answer;
        all.push(modelCall({ ...answer, usage: { inputTokens, outputTokens: 0 }, cost }));
        return answer;
      },
    },
    calls: () => mergedCalls(all),
    drain() {
      const since = all.slice(drained);
      drained = all.length;
      return mergedCalls(since);
    },
    facts() {
      const last = all.at(-1);
      if (!last) return {};
      const { inputTokens, outputTokens, cost, unpriced } = all.reduce(sumOf);
      return {
        modelUsed: last.model,
        promptTokens: inputTokens,
        completionTokens: outputTokens,
        estimatedCost: unpriced > 0 ? null : cost.toFixed(),
      };
    },
  };
}
