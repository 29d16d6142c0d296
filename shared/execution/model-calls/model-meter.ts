/**
 * Counts the model calls and warnings of what runs through its ports: a step, a tool or a loop.
 * Every call that a provider answered counts, whatever became of the answer: one that broke off has no tokens and no
 * price, one that was refused costs nothing. Calls of inner agents count as spent, but not as calls, since their own run
 * counts them.
 * `facts` sums up for a step's result, `drain` yields what is new for the facts of an agent.
 */
import { ModelCallFailed, type ModelEvent } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { createWarning, mergeWarnings, type Warning } from '../../core/warnings.ts';
import { createModelCall, createRefusedCall, type ModelCall } from '../../domain/model-usage/model-calls.ts';
import {
  addSpent,
  nothingSpent,
  type Spent,
  toCacheSavings,
  toTokenParts,
  toWarningsMember,
} from './call-cost.ts';

export interface ModelFacts {
  modelUsed: string;
  promptTokens: number;
  completionTokens: number;
  /** Parts of the two. */
  cachedTokens: number;
  reasoningTokens: number;
  /** USD that caches of providers saved. */
  cacheSavings: string;
  /** USD as decimal text; null if a call has no known price. */
  estimatedCost: string | null;
  warnings: readonly Warning[];
}

/**
 * Counts the warnings and the model calls of a step: every one that the provider answered, whatever became of the answer. One that broke off
 * has no tokens and no price, one that was refused costs nothing.
 */
export interface ModelMeter {
  ports: Ports;
  calls: () => readonly ModelCall[];
  /** What was spent since it was last asked, and the model calls in it that are still to be counted. */
  drain: () => { calls: ModelCall[]; spent: Spent };
  facts: () => Partial<ModelFacts>;
}

export function openMeter(ports: Ports): ModelMeter {
  const all: ModelCall[] = [];
  const ofAgents: Spent[] = [];
  let drained = { calls: 0, agents: 0 };
  let warnings: readonly Warning[] = [];
  let undrained: readonly Warning[] = [];
  const addWarnings = (...added: readonly Warning[]) => {
    warnings = mergeWarnings(warnings, added);
    undrained = mergeWarnings(undrained, added);
  };
  // Cut only when it is masked.
  const warn: Ports['warn'] = ({ code, message }) =>
    addWarnings(createWarning({ code, message: ports.shown(message) }));
  return {
    ports: {
      ...ports,
      warn,
      fetch: (request) => ports.fetch({ ...request, warn }),
      model: {
        ...ports.model,
        async *stream(request) {
          let unfinished: Extract<ModelEvent, { type: 'start' }> | undefined;
          const began = ports.now().getTime();
          const durationMs = () => Math.max(0, ports.now().getTime() - began);
          try {
            for await (const event of ports.model.stream(request)) {
              if (event.type === 'start') unfinished = event;
              if (event.type === 'finish') {
                unfinished = undefined;
                all.push(createModelCall({ ...event, durationMs: durationMs() }));
              }
              yield event;
            }
          } catch (error) {
            if (!unfinished && error instanceof ModelCallFailed && !error.isAborted) {
              all.push(createRefusedCall(error.source, durationMs()));
            }
            throw error;
          } finally {
            // The provider charges what it has sent, but may not have said how much that is.
            if (unfinished) {
              const { charged = { usage: null, cost: null }, ...source } = unfinished;
              all.push(
                createModelCall({ ...source, ...charged, durationMs: durationMs(), isBrokenOff: true }),
              );
            }
          }
        },
      },
      async embed(request) {
        const began = ports.now().getTime();
        const answer = await ports.embed(request);
        const durationMs = Math.max(0, ports.now().getTime() - began);
        const { promptTokens: inputTokens, estimatedCost: cost } = answer;
        all.push(createModelCall({ ...answer, usage: { inputTokens, outputTokens: 0 }, cost, durationMs }));
        return answer;
      },
      agents: {
        ...ports.agents,
        async run(request) {
          const outcome = await ports.agents.run(request);
          const { warnings: said = [], ...spent } = outcome.spent;
          ofAgents.push(spent);
          addWarnings(...said);
          return outcome;
        },
      },
    },
    calls: () => all,
    drain() {
      const calls = all.slice(drained.calls);
      const agents = ofAgents.slice(drained.agents);
      drained = { calls: all.length, agents: ofAgents.length };
      const said = toWarningsMember(undrained);
      undrained = [];
      const paid = [...calls.map(toSpent), ...agents].reduce(addSpent, nothingSpent);
      return { calls, spent: { ...paid, ...said } };
    },
    facts() {
      const last = all.findLast(({ calls }) => calls > 0);
      if (!last && ofAgents.length === 0) return toWarningsMember(warnings);
      const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cacheSavings, cost } = [
        ...all.map(toSpent),
        ...ofAgents,
      ].reduce(addSpent, nothingSpent);
      return {
        ...(last && { modelUsed: last.model }),
        promptTokens: inputTokens,
        completionTokens: outputTokens,
        ...(cachedInputTokens && { cachedTokens: cachedInputTokens }),
        ...(reasoningTokens && { reasoningTokens }),
        ...(cacheSavings && { cacheSavings }),
        estimatedCost: cost,
        ...toWarningsMember(warnings),
      };
    },
  };
}

const toSpent = ({
  inputTokens,
  outputTokens,
  cost,
  cacheSavings,
  unpriced,
  ...parts
}: ModelCall): Spent => ({
  inputTokens,
  outputTokens,
  ...toTokenParts(parts),
  ...toCacheSavings(cacheSavings),
  cost: unpriced > 0 ? null : cost.toFixed(),
});
