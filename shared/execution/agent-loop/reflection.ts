import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import type { RunState } from './state.ts';

type LoopConfig = NonNullable<AgentConfig['loopConfig']>;

const intervalDefault = 5;

/** Due after every `reflectionInterval` turns of a run that its tools keep going. Follows from the state alone. */
export function reflectionBefore(
  { enableReflection, reflectionInterval = intervalDefault, maxTurns }: LoopConfig,
  { turns, isReminded, lastTurn }: Pick<RunState, 'turns' | 'isReminded' | 'lastTurn'>,
): string | undefined {
  if (!enableReflection || isReminded || turns === 0 || turns % reflectionInterval !== 0) return undefined;
  if (!lastTurn || lastTurn.calls.length === 0) return undefined;
  const left = maxTurns === undefined ? undefined : maxTurns - turns;
  if (left !== undefined && left < 1) return undefined;
  const rest = left === undefined ? '' : ` You have ${left} ${left === 1 ? 'turn' : 'turns'} left.`;
  return `Before you go on, review your progress: what is the task, what have you found out, what is still missing, and does your approach work? Change it if it does not.${rest} Then continue with the task; do not mention this review in your answer.`;
}
