import type { RunnableTool } from '../tools/runnable-tool.ts';
import type { StopReason } from './facts.ts';
import type { Loop } from './loop.ts';
import type { RunState } from './state.ts';

export type Next =
  | { do: 'ask'; toolChoice: 'auto' | 'required' | 'none' }
  | { do: 'remind'; text: string }
  | { do: 'end'; stopReason: StopReason };

type Rules = Pick<Loop, 'turnsMax' | 'limits' | 'toolChoice' | 'requiredTools' | 'tools'>;

/** What follows when no calls are open. It depends on the state alone. */
export function next(rules: Rules, state: RunState): Next {
  const { turnsMax = Number.POSITIVE_INFINITY, limits } = rules;
  const hasCallsLeft = state.callCount < limits.callsMax;
  const missing = hasCallsLeft ? uncalledTool(rules, state) : undefined;
  const isAnswered = !state.isReminded && state.lastTurn?.calls.length === 0;
  if (isAnswered && !missing) return { do: 'end', stopReason: 'end_turn' };
  if (state.turns >= turnsMax) return { do: 'end', stopReason: 'max_turns' };
  if (isAnswered && missing) return { do: 'remind', text: `Call the tool ${missing} before you answer.` };
  if (rules.toolChoice === 'none' || !hasCallsLeft) return { do: 'ask', toolChoice: 'none' };
  const isFirst = state.turns === 0;
  const mustCall =
    (isFirst && rules.toolChoice === 'required') || (state.isReminded && missing !== undefined);
  return { do: 'ask', toolChoice: mustCall ? 'required' : 'auto' };
}

function uncalledTool(
  { requiredTools = [], tools, limits }: Rules,
  { callsOf }: RunState,
): string | undefined {
  const { callsMaxOf = {} } = limits;
  const isCallable = ({ id, name }: RunnableTool) => (callsMaxOf[name] ?? callsMaxOf[id]) !== 0;
  const isRequired = ({ id, name }: RunnableTool) =>
    requiredTools.includes(id) || requiredTools.includes(name);
  return tools.find((tool) => isRequired(tool) && isCallable(tool) && !callsOf.has(tool.id))?.name;
}
