import type { ModelCallSource } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { type ModelCalls, mergedCalls, modelCall } from '../../domain/model-usage/model-calls.ts';
import { nothingSpent, plusSpent, type Spent } from '../tool-support/spent.ts';

export interface ModelFacts {
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
  /** What was spent since it was last asked, and the model calls in it that are still to be counted. */
  drain: () => { calls: ModelCalls[]; spent: Spent };
  facts: () => Partial<ModelFacts>;
}

export function openMeter(ports: Ports): ModelMeter {
  const all: ModelCalls[] = [];
  const ofAgents: Spent[] = [];
  let drained = { calls: 0, agents: 0 };
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
      agents: {
        async run(request) {
          const outcome = await ports.agents.run(request);
          ofAgents.push(outcome.spent);
          return outcome;
        },
      },
    },
    calls: () => mergedCalls(all),
    drain() {
      const calls = all.slice(drained.calls);
      const agents = ofAgents.slice(drained.agents);
      drained = { calls: all.length, agents: ofAgents.length };
      return {
        calls: mergedCalls(calls),
        spent: [...calls.map(spentBy), ...agents].reduce(plusSpent, nothingSpent),
      };
    },
    facts() {
      const last = all.at(-1);
      if (!last && ofAgents.length === 0) return {};
      const { inputTokens, outputTokens, cost } = [...all.map(spentBy), ...ofAgents].reduce(
        plusSpent,
        nothingSpent,
      );
      return {
        ...(last && { modelUsed: last.model }),
        promptTokens: inputTokens,
        completionTokens: outputTokens,
        estimatedCost: cost,
      };
    },
  };
}

const spentBy = ({ inputTokens, outputTokens, cost, unpriced }: ModelCalls): Spent => ({
  inputTokens,
  outputTokens,
  cost: unpriced > 0 ? null : cost.toFixed(),
});
