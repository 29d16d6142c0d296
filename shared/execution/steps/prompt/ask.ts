import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import { newId } from '../../../core/ids.ts';
import type { PromptConfig } from '../../../domain/flows/step-types/prompt.ts';
import { type Loop, runLoop } from '../../agent-loop/loop.ts';
import { toStepEvent } from '../../agent-loop/loop-progress.ts';
import { openProgress } from '../../agent-loop/progress.ts';
import { apply, initialState } from '../../agent-loop/state.ts';
import type { StepPerforming } from '../../step-support/step-runner.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';

/** Asks the model, with its tools. Streams its events, if somebody listens. */
export type AskModel = (messages: readonly ModelMessage[]) => Promise<Answer>;

interface Answer {
  text: string;
  messages: readonly ModelMessage[];
}

interface PromptRequest extends Pick<Loop['request'], 'model' | 'settings' | 'reasoning'> {
  format: NonNullable<PromptConfig['responseFormat']>;
}

/** The meter of the step counts what its model calls cost. */
const nothing = { inputTokens: 0, outputTokens: 0, cost: '0' } as const;

export function createAsker(
  request: PromptRequest,
  { config, ports, signal, emit }: StepPerforming<PromptConfig>,
  tools: readonly RunnableTool[],
): AskModel {
  const { model, format, settings, reasoning } = request;
  const loop: Loop = {
    model: ports.model,
    request: {
      model,
      format: typeof format === 'object' ? format : { type: format === 'json' ? 'json' : 'text' },
      reasoning,
      settings,
      promptCaching: config.promptCaching,
      streamed: emit !== undefined,
    },
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
        const shown = toStepEvent(progress);
        if (shown) await emit(shown);
      }
    }
    return { text: state.lastTurn?.text ?? '', messages: state.messages };
  };
}

function limitsOf({ tools }: PromptConfig): Loop['limits'] {
  const limits = Object.entries(tools?.perToolLimits ?? {}).map(([name, { maxCalls }]) => [name, maxCalls]);
  return { callsMax: tools?.maxToolCalls ?? 10, callsMaxOf: Object.fromEntries(limits) };
}
