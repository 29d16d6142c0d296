import type { Variables } from '../../core/variables/variables.ts';
import type { Message } from '../../domain/conversations/message.ts';

export interface Target {
  kind: 'flow' | 'agent';
  id: string;
}

/** @param named Exactly one of the two is set. */
export const toTarget = ({ flowId, agentId }: { flowId: string | null; agentId: string | null }): Target =>
  agentId === null ? { kind: 'flow', id: flowId ?? '' } : { kind: 'agent', id: agentId };

export interface TargetInput {
  /** The variables of a flow, or of the system prompt of an agent. */
  inputs: Variables | undefined;
  /** The variable `messages` of a flow, or what an agent answers. */
  messages: readonly Message[] | undefined;
}

/**
 * What a call with parameters asks of a target: a flow has them as its variables; an agent gets its parameter `message`, or
 * else all of them as JSON.
 * @param messages Instead, if the call is part of a conversation.
 */
export function toTargetInput(
  { kind }: Target,
  parameters: Record<string, unknown>,
  messages?: readonly Message[],
): TargetInput {
  if (kind === 'flow') return { inputs: parameters, messages };
  const { message, ...inputs } = parameters;
  const content = typeof message === 'string' ? message : JSON.stringify(parameters);
  return { inputs, messages: messages ?? [{ role: 'user', content }] };
}
