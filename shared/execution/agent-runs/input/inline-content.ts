import type { AgentCapability, AgentContent } from '../../../domain/agents/config/agent.ts';
import type { AgentConfig } from '../../../domain/agents/config/agent-config.ts';
import { secretKeysOfAgent } from '../../../domain/agents/credentials/secret-keys.ts';
import type { AgentToRun } from './run-input.ts';

export function inlineContent(config: AgentConfig, capabilities: AgentCapability[] = []): AgentContent {
  const content = {
    agentType: 'native' as const,
    primaryFlowId: null,
    externalConfig: null,
    vendorManagedConfig: null,
    config,
    capabilities,
  };
  return { ...content, secretKeys: secretKeysOfAgent(content) };
}

/** @param config Was checked before. */
export const inlineAgent = (name: string, content: AgentContent): AgentToRun => ({
  id: null,
  name,
  versionId: null,
  content,
});
