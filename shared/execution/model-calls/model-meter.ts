/**
 * Counts the model calls and warnings of what runs through its ports: a step, a tool or a loop.
 * Every call that a provider answered counts, whatever became of the answer: one that broke off has no tokens and no
 * price, one that was refused costs nothing. Calls of inner agents count as spent, but not as calls, since their own run
 * counts them.
 * `facts` sums up for a step's result, `drain` yields what is new for the facts of an agent.
 */
import { ModelCallFailed, type ModelEvent } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { type Spending, sumSpending } from '../../adapters/ports/spending.ts';
import { createWarning, mergeWarnings, type Warning } from '../../core/warnings.ts';
import { createModelCall, createRefusedCall, type ModelCall } from '../../domain/model-usage/model-calls.ts';
import { type StepSpending, toStepSpending } from '../../domain/runs/run-totals.ts';

export interface ModelMeter {
  ports: Ports;
  calls: () => readonly ModelCall[];
  /** What was spent since it was last asked, and the model calls in it that are still to be counted. */
  drain: () => { calls: ModelCall[]; spending: Spending; warnings: readonly Warning[] };
  /** Of the result of a step. */
  facts: () => StepSpending & { modelUsed?: string };
}

export function openMeter(ports: Ports): ModelMeter {
  const all: ModelCall[] = [];
  const ofAgents: Spending[] = [];
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
          ofAgents.push(outcome.spending);
          addWarnings(...(outcome.warnings ?? []));
          return outcome;
        },
      },
    },
    calls: () => all,
    drain() {
      const calls = all.slice(drained.calls);
      const agents = ofAgents.slice(drained.agents);
      drained = { calls: all.length, agents: ofAgents.length };
      const said = undrained;
      undrained = [];
      return { calls, spending: sumSpending([...calls, ...agents]), warnings: said };
    },
    facts() {
      const last = all.findLast(({ calls }) => calls > 0);
      return {
        ...(last && { modelUsed: last.model }),
        ...((last || ofAgents.length > 0) && toStepSpending(sumSpending([...all, ...ofAgents]))),
        ...(warnings.length > 0 && { warnings }),
      };
    },
  };
}
