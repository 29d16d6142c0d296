import type { ModelMessage, ModelRequest } from '../../../adapters/model-port.ts';
import type { Config } from '../../../domain/flows/step-types/prompt.ts';
import { reasoningOf } from '../../../domain/flows/steps/reasoning.ts';
import { type LoopEnd, runLoop } from '../../agent-loop/loop.ts';
import type { StepRun } from '../../step-support/step-runner.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';
import { openLoopEvents } from './loop-events.ts';

/** Asks the model, with its tools. Streams its events, if somebody listens. */
export type Ask = (messages: readonly ModelMessage[]) => Promise<LoopEnd>;

export function askerOf(
  { config, ports, signal, emit }: StepRun<Config>,
  tools: readonly RunnableTool[],
): Ask {
  const { model, temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const { responseFormat: format, tools: given } = config;
  const request: Omit<ModelRequest, 'messages'> = {
    model,
    format: typeof format === 'object' ? format : { type: format === 'json' ? 'json' : 'text' },
    reasoning: reasoningOf(config.reasoning),
    settings: { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed },
    streamed: emit !== undefined,
    signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs ?? 120_000)]),
  };
  const callsMaxOf = Object.entries(given?.perToolLimits ?? {}).map(([name, { maxCalls }]) => [
    name,
    maxCalls,
  ]);
  const limits = { callsMax: given?.maxToolCalls ?? 10, callsMaxOf: Object.fromEntries(callsMaxOf) };
  return async (messages) => {
    const events = runLoop({
      ...{ model: ports.model, request, messages, tools, limits },
      toolChoice: given?.toolCallStrategy,
    });
    const emitLoopEvent = openLoopEvents(tools, emit);
    try {
      for (;;) {
        const { done, value } = await events.next();
        if (done) return value;
        await emitLoopEvent(value);
      }
    } finally {
      // If nobody reads any more, this aborts the call.
      await events.return(undefined as never);
    }
  };
}
