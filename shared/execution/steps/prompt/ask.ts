import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import { newId } from '../../../core/ids.ts';
import type { PromptConfig } from '../../../domain/flows/step-types/prompt.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import { nothingSpent } from '../../agent-loop/facts.ts';
import { type Loop, runLoop } from '../../agent-loop/loop.ts';
import { openProgress, toStepEvent } from '../../agent-loop/progress.ts';
import { apply, type RunState, replay } from '../../agent-loop/state.ts';
import { findTool } from '../../agent-loop/tool-calls.ts';
import type { StepPerforming } from '../../step-support/step-runner.ts';
import type { RunnableTool } from '../../tools/call-tool.ts';

export interface Asker {
  /**
   * Asks the model, with its tools. Streams its events, if somebody listens. Tools that an earlier attempt of the step has
   * called are not called again: the model goes on from their results.
   * @returns the text of the answer.
   */
  ask: (messages: readonly ModelMessage[]) => Promise<string>;
  /** Asks for a better answer. */
  correct: (problem: string) => Promise<string>;
}

interface PromptRequest extends Pick<Loop['request'], 'model' | 'settings' | 'reasoning'> {
  format: NonNullable<PromptConfig['responseFormat']>;
}

export function createAsker(
  request: PromptRequest,
  { config, ports, signal, emit, turns }: StepPerforming<PromptConfig>,
  tools: readonly RunnableTool[],
): Asker {
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
    // The meter of the step counts what its model calls cost.
    spent: () => nothingSpent,
    warn: ports.warn,
    signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs ?? 120_000)]),
    limits: toLimits(config),
    toolChoice: config.tools?.toolCallStrategy,
  };
  const facts: Fact[] = [];
  let state: RunState;
  async function record(added: readonly Fact[]): Promise<void> {
    facts.push(...added);
    state = added.reduce(apply, state);
    const calls = added.filter(({ type }) => type === 'turn' || type === 'result');
    if (calls.length > 0)
      await turns.keep(
        [...facts],
        calls.some((fact) => isOfAct(fact, tools)),
      );
  }
  async function goOn(mayHaveBegun: boolean): Promise<string> {
    const progressOf = openProgress({ showsEmptyText: true });
    for await (const event of runLoop(loop, state, mayHaveBegun)) {
      if (event.type === 'facts') await record(event.facts);
      if (!emit) continue;
      for (const progress of progressOf(event)) {
        const shown = toStepEvent(progress);
        if (shown) await emit(shown);
      }
    }
    return state.lastTurn?.text ?? '';
  }
  return {
    ask(messages) {
      facts.push(...keepCallTurns(turns.earlier() as Fact[] | undefined));
      state = replay(messages, facts);
      return goOn(facts.length > 0);
    },
    async correct(text) {
      state = { ...state, end: undefined };
      await record([{ type: 'note', reason: 'correction', text, at: ports.now().toISOString() }]);
      return goOn(false);
    },
  };
}

/** The turns up to the last one that called tools. An answer without calls is asked for again. */
const keepCallTurns = (facts: readonly Fact[] = []): Fact[] =>
  facts
    .slice(0, facts.findLastIndex((fact) => fact.type === 'result' || hasCalls(fact)) + 1)
    .filter(({ type }) => type !== 'end');

const hasCalls = (fact: Fact) => fact.type === 'turn' && fact.calls.length > 0;

/** Whether it is a call, or a result of one, that must not be made again. */
function isOfAct(fact: Fact, tools: readonly RunnableTool[]): boolean {
  const names = fact.type === 'turn' ? fact.calls.map(({ name }) => name) : [];
  if (fact.type === 'result') names.push(fact.toolName);
  return names.some((name) => {
    const tool = findTool(tools, name);
    return tool !== undefined && !tool.repeatable;
  });
}

function toLimits({ tools }: PromptConfig): Loop['limits'] {
  const limits = Object.entries(tools?.perToolLimits ?? {}).map(([name, { maxCalls }]) => [name, maxCalls]);
  return { callsMax: tools?.maxToolCalls ?? 10, callsMaxOf: Object.fromEntries(limits) };
}
