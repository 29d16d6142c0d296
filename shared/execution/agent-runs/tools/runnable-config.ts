import type { AgentContent } from '../../../domain/agents/config/agent.ts';
import type { AgentConfig } from '../../../domain/agents/config/agent-config.ts';
import { agentOrchestration } from '../../external-agents/orchestration.ts';

const skillTurns = 10;

/** Whether an external agent answers by itself. Otherwise a model does, with the agent's skills as its tools. */
export const isDelegated = ({ agentType, externalConfig }: AgentContent) =>
  agentType === 'external' && externalConfig !== null && agentOrchestration(externalConfig) === 'delegate';

/** The config of the loop that runs an agent. For an external agent it follows from its orchestration. */
export function runnableConfig({ agentType, config, externalConfig }: AgentContent): AgentConfig {
  if (agentType !== 'external' || !externalConfig) return config ?? {};
  const orchestrator = agentOrchestration(externalConfig);
  // The other server has its own tools, memory and limits.
  if (orchestrator === 'delegate') return { errorHandling: config?.errorHandling };
  return { ...config, ...orchestrator, loopConfig: { maxTurns: skillTurns, ...config?.loopConfig } };
}
