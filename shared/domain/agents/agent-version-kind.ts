import type { VersionKind } from '../../platform/data/versions/version-kind.ts';
import {
  type Agent,
  type AgentContent,
  AgentVersion,
  agentContent,
  agentVersionEntity,
  agentVersionsPartition,
  anyAgentVersionPartition,
  storedContent,
} from './config/agent.ts';
import { credentialNames } from './credentials/credential-places.ts';

const AgentVersionSummary = AgentVersion.pick({
  id: true,
  number: true,
  type: true,
  configSummary: true,
  label: true,
  notes: true,
  createdAt: true,
});
export type AgentVersionSummary = ReturnType<typeof AgentVersionSummary.parse>;

/** The versions of agents. Their content is what a run takes. */
export const agentVersionKind: VersionKind<Agent, AgentVersion, AgentVersionSummary> = {
  noun: 'agent',
  codeOfForeign: 'VERSION_OF_ANOTHER_AGENT',
  idPrefix: 'agentver',
  entity: agentVersionEntity,
  keyOf: (agentId, id) => ({ agentId, id }),
  versionsOf: agentVersionsPartition,
  allVersions: anyAgentVersionPartition,
  summary: AgentVersionSummary,
  contentOf: (agent) => ({
    agentId: agent.id,
    configSummary: configSummaryOf(agent),
    ...agentContent(agent),
  }),
  publishedFields: (version) => ({
    publishedSecretKeys: version.secretKeys,
    publishedCredentials: credentialNames(version),
  }),
  stored: storedContent,
};

/** Such as `gpt-5-mini, 3 tools, 1 capability`. */
function configSummaryOf({ agentType, config, externalConfig, capabilities }: AgentContent): string {
  const server = externalConfig?.endpoint ?? externalConfig?.agentCardUrl;
  if (agentType === 'external' && server) return `external, ${new URL(server).host}`;
  if (agentType !== 'native') return agentType.replace('_', '-');
  const { toolIds = [], runtimeTools = [], mcpServers = [] } = config?.tools ?? {};
  return [
    config?.model ?? 'default model',
    ...counted(toolIds.length + runtimeTools.length, 'tool', 'tools'),
    ...counted(mcpServers.length, 'MCP server', 'MCP servers'),
    ...counted(capabilities.length, 'capability', 'capabilities'),
  ].join(', ');
}

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
