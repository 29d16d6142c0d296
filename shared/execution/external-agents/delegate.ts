import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { ExternalConfig } from '../../domain/agents/config/external-config.ts';
import { type AgentAnswer, type AgentProgress, callAgent } from './call-agent.ts';
import { openExternalAgent } from './external-agent.ts';
import { delegateSkill } from './orchestration.ts';

/** What goes to the agent. `contextId` and `taskId` are those of an earlier answer of the same conversation. */
export interface DelegatedMessage {
  parts: readonly A2aPart[];
  contextId?: string | undefined;
  taskId?: string | undefined;
  signal: AbortSignal;
}

/** Yields what the agent does, and its answer last. @param config With the value of the credentials. @throws StepError */
export async function* delegate(
  ports: Ports,
  config: ExternalConfig,
  message: DelegatedMessage,
): AsyncGenerator<AgentProgress | AgentAnswer, void> {
  const agent = await openExternalAgent(ports, config, message.signal);
  const skillId = delegateSkill({ ...config, cachedAgentCard: agent.card });
  yield* callAgent(agent, { ...message, skillId });
}
