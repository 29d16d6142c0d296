import { invalidAt } from '../../../core/errors/errors.ts';
import { agentStore } from '../../../domain/agents/agent-store.ts';
import { agentVersions, type VersionChoice } from '../../../domain/agents/agent-versions.ts';
import type { Agent, AgentContent } from '../../../domain/agents/config/agent.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { AgentToRun } from './run-input.ts';

/** Finds the content that a run of a stored agent takes, and notes that the agent runs. */
export const agentToRun = /* @__PURE__ */ using([agentStore, agentVersions], (scope: Scope) => {
  const agents = agentStore(scope);
  const versions = agentVersions(scope);
  /** @param chosen What `versions.toRun` returned a moment ago. @throws 404 for an unknown agent or version, 400 if this service cannot run it. */
  return async (
    id: string,
    choice: VersionChoice,
    chosen = versions.toRun(id, choice),
  ): Promise<AgentToRun> => {
    const { agent, content, versionId } = await chosen;
    refuseVendorManaged(content);
    await agents.markRun(agent);
    const { name } = agent;
    // The card says what the other server does now, whatever version of the agent runs.
    if (content.externalConfig) return { id, name, versionId: null, content: withLiveCard(content, agent) };
    return { id, name, versionId: isImmutable(agent, versionId) ? versionId : null, content };
  };
});

const isImmutable = ({ draft }: Agent, versionId: string | null) =>
  versionId !== null && versionId !== draft?.id;

function refuseVendorManaged({ agentType }: AgentContent): void {
  if (agentType !== 'vendor_managed') return;
  const message = 'The vendor of this agent runs it; this service stores it, and cannot run it';
  throw invalidAt('id', 'INVALID_VALUE', message);
}

function withLiveCard(content: AgentContent, { externalConfig: live }: Agent): AgentContent {
  if (!content.externalConfig || !live) return content;
  const { cachedAgentCard, skillsOverride } = live;
  return { ...content, externalConfig: { ...content.externalConfig, cachedAgentCard, skillsOverride } };
}
