import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import { newId } from '../../../core/ids.ts';
import type { Config } from '../../../domain/flows/step-types/prompt.ts';
import { reasoningOf } from '../../../domain/flows/steps/reasoning.ts';
import { type Loop, runLoop } from '../../agent-loop/loop.ts';
import { openProgress, stepEventOf } from '../../agent-loop/progress.ts';
import { apply, initialState } from '../../agent-loop/state.ts';
import type { StepRun } from '../../step-support/step-runner.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';

/** Asks the model, with its tools. Streams its events, if somebody listens. */
export type AskModel = (messages: readonly ModelMessage[]) => Promise<Answer>;

interface Answer {
  text: string;
  messages: readonly ModelMessage[];
}

/** The meter of the step counts what its model calls cost. */
const nothing = { inputTokens: 0, outputTokens: 0, cost: '0' } as const;

export function askerOf(
  { config, ports, signal, emit }: StepRun<Config>,
  tools: readonly RunnableTool[],
): AskModel {
  const loop: Loop = {
    model: ports.model,
    request: requestOf(config, emit !== undefined),
    tools,
    now: ports.now,
    newId,
    spent: () => nothing,
    signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs ?? 120_000)]),
    limits: limitsOf(config),
    toolChoice: config.tools?.toolCallStrategy,
  };
  return async (messages) => {
    const progressOf = openProgress({ showsEmptyText: true });
    let state = initialState(messages);
    for await (const event of runLoop(loop, state)) {
      if (event.type === 'facts') state = event.facts.reduce(apply, state);
      if (!emit) continue;
      for (const progress of progressOf(event)) {
        const shown = stepEventOf(progress);
        if (shown) await emit(shown);
      }
    }
    return { text: state.lastTurn?.text ?? '', messages: state.messages };
  };
}

function requestOf(config: Config, streamed: boolean): Loop['request'] {
  const { model, temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const { responseFormat: format } = config;
  return {
    model,
    format: typeof format === 'object' ? format : { type: format === 'json' ? 'json' : 'text' },
    reasoning: reasoningOf(config.reasoning),
    settings: { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed },
    streamed,
  };
}

function limitsOf({ tools }: Config): Loop['limits'] {
  const limits = Object.entries(tools?.perToolLimits ?? {}).map(([name, { maxCalls }]) => [name, maxCalls]);
  return { callsMax: tools?.maxToolCalls ?? 10, callsMaxOf: Object.fromEntries(limits) };
}
