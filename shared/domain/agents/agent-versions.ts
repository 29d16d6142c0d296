import { createLoadingCache } from '../../core/cache.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { VersionKind } from '../../platform/data/versions/version-kind.ts';
import { manageVersions } from '../../platform/data/versions/versioned.ts';
import { agentStore } from './agent-store.ts';
import {
  type Agent,
  type AgentContent,
  AgentVersion,
  agentVersionEntity,
  agentVersionsPartition,
  anyAgentVersionPartition,
  pickAgentContent,
  toStoredContent,
} from './config/agent.ts';
import { listCredentialNames } from './credentials/credential-places.ts';

export interface ChosenAgent {
  agent: Agent;
  content: AgentContent;
  /** Null for an agent whose content was not changed since it was published. */
  versionId: string | null;
}

export interface VersionChoice {
  environment: 'production' | 'test';
  /** `published`, `draft` (the agent as its editor shows it), or the id of a version. */
  version?: string | undefined;
}

/** Published versions that ran recently. They are immutable, so a warm Lambda reads each once. */
const recent = createLoadingCache<AgentVersion>({ entriesMax: 50 });

/** Versions of agents. Errors are those of `versioned`. */
export const agentVersions = /* @__PURE__ */ using([agentStore], (scope: Scope) => {
  const agents = agentStore(scope);
  const versions = manageVersions(scope, agentVersionKind, agents);

  async function selectContent(agent: Agent, { environment, version }: VersionChoice) {
    const usesLive = environment === 'test' || agent.publishedVersionId === null;
    const wanted = version ?? (usesLive ? 'draft' : 'published');
    if (wanted === 'draft') return { ...agent, id: agent.draft?.id ?? null };
    const id = wanted === 'published' ? agent.publishedVersionId : wanted;
    if (id === null) return versions.findPublished(agent);
    if (id === agent.draft?.id) return { ...agent, id };
    return recent(`${scope.table.tenant} ${agent.id} ${id}`, () => versions.find(agent, id));
  }

  return {
    publish: versions.publish,
    publishCurrent: versions.publishCurrent,

    get: async (agentId: string, versionId: string): Promise<AgentVersion> =>
      versions.find(await agents.find(agentId), versionId),

    published: async (agentId: string): Promise<AgentVersion> =>
      versions.findPublished(await agents.find(agentId)),

    async list(agentId: string): Promise<{ agent: Agent; versions: AgentVersionSummary[] }> {
      const agent = await agents.find(agentId);
      return { agent, versions: await versions.list(agent) };
    },

    /**
     * By default the published version, or the live agent if nothing is published; with a test key the live agent.
     * @throws 404 for an unknown agent or version, and if `published` is chosen and nothing is published; 400 for a
     * version of another agent.
     */
    async toRun(agentId: string, choice: VersionChoice): Promise<ChosenAgent> {
      const agent = await agents.find(agentId);
      const { id: versionId, ...content } = await selectContent(agent, choice);
      return { agent, content: pickAgentContent(content), versionId };
    },
  };
});

const AgentVersionSummary = AgentVersion.pick({
  id: true,
  number: true,
  type: true,
  configSummary: true,
  label: true,
  notes: true,
  createdAt: true,
});
type AgentVersionSummary = ReturnType<typeof AgentVersionSummary.parse>;

/** The versions of agents. Their content is what a run takes. */
const agentVersionKind: VersionKind<Agent, AgentVersion, AgentVersionSummary> = {
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
    configSummary: summarizeConfig(agent),
    ...pickAgentContent(agent),
  }),
  publishedFields: (version) => ({
    publishedSecretKeys: version.secretKeys,
    publishedCredentials: listCredentialNames(version),
  }),
  stored: toStoredContent,
};

/** Such as `gpt-5-mini, 3 tools, 1 capability`. */
function summarizeConfig({ agentType, config, externalConfig, capabilities }: AgentContent): string {
  const server = externalConfig?.endpoint ?? externalConfig?.agentCardUrl;
  if (agentType === 'external' && server) return `external, ${new URL(server).host}`;
  if (agentType !== 'native') return agentType.replace('_', '-');
  const { toolIds = [], runtimeTools = [], mcpServers = [] } = config?.tools ?? {};
  return [
    config?.model ?? 'default model',
    ...formatCount(toolIds.length + runtimeTools.length, 'tool', 'tools'),
    ...formatCount(mcpServers.length, 'MCP server', 'MCP servers'),
    ...formatCount(capabilities.length, 'capability', 'capabilities'),
  ].join(', ');
}

const formatCount = (count: number, one: string, many: string) =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
