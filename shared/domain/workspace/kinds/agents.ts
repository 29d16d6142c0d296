/**
 * Agents and their capabilities as a document of a workspace shows them.
 *
 * A document has no credentials: what is stored loses its marks, plaintexts are refused, and a new agent that needs some gets
 * a note. Shorthands and what the service found out by itself are left out, so that equal agents have equal documents.
 * `kind.ts` says what each member of a kind is for.
 */

import { hasSecretReference } from '../../../core/secret-references.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { agentFinder } from '../../agents/agent-store.ts';
import type { Agent } from '../../agents/config/agent.ts';
import { capabilitiesMax } from '../../agents/config/capabilities.ts';
import type { DocumentKind, ResourceMembers, StoredResource, WorkspaceKind } from './kind.ts';
import { checkPartCount } from './part-limits.ts';
import { agentPlaces } from './places.ts';
import { readAll } from './read-all.ts';
import { mapReferences } from './references.ts';

const capabilities: DocumentKind = {
  noun: 'capability',
  nameMember: 'toolName',
  getName: ({ toolName }) => String(toolName),
  defaults: {
    toolDescription: null,
    flowId: null,
    subAgentId: null,
    toolId: null,
    parametersSchema: null,
    enabled: true,
  },
  references: mapReferences({ flowId: 'flows', subAgentId: 'agents', toolId: 'tools' }),
};

export const agentsKind: WorkspaceKind = {
  group: 'AGENTS',
  noun: 'agent',
  nameMember: 'name',
  getName: ({ name }) => String(name),
  defaults: {
    description: null,
    icon: null,
    primaryFlowId: null,
    agentType: 'native',
    config: null,
    externalConfig: null,
    vendorManagedConfig: null,
  },
  tidy,
  plaintexts: (content) =>
    listCredentials(content).flatMap(({ at, value }) =>
      value !== undefined && !hasSecretReference(value) ? [at] : [],
    ),
  fit: (content, before) => ({
    content,
    notes:
      before === undefined && listCredentials(content).some(({ value }) => value === undefined)
        ? ['a document holds no credentials. Set those of its servers with PUT /v1/agents/{id}']
        : [],
  }),
  references: mapReferences(agentPlaces),
  parts: { capabilities },
  problems: (entry) =>
    checkPartCount(entry, 'capabilities', {
      max: capabilitiesMax,
      limit: `An agent has at most ${capabilitiesMax} capabilities`,
    }),
  read: /* @__PURE__ */ using([agentFinder], (scope: Scope) => {
    const store = agentFinder(scope);
    return (room) =>
      readAll(
        async (query) => {
          const { agents, pagination } = await store.list(query);
          return { ids: agents.map(({ id }) => id), nextCursor: pagination.nextCursor };
        },
        async (id) => toResource(await store.find(id)),
        room,
      );
  }),
};

const toResource = (agent: Agent): StoredResource => ({
  id: agent.id,
  content: {
    name: agent.name,
    description: agent.description,
    icon: agent.icon,
    primaryFlowId: agent.primaryFlowId,
    agentType: agent.agentType,
    config: agent.config,
    externalConfig: agent.externalConfig,
    vendorManagedConfig: agent.vendorManagedConfig,
  },
  parts: {
    capabilities: agent.capabilities.map(({ id, createdAt: _at, displayOrder: _order, ...content }) => ({
      id,
      content,
    })),
  },
  isUnpublished: agent.draft !== null,
});

interface Server {
  auth?: ResourceMembers & { type?: string };
}

interface Configs {
  config?: (ResourceMembers & { tools?: ResourceMembers & { mcpServers?: Server[] } }) | null;
  externalConfig?: (ResourceMembers & Server) | null;
}

/** Without shorthands and aliases, without what the service found out, and without the marks of stored credentials. */
function tidy({ maxTurns, claudeManagedConfig, ...content }: ResourceMembers): ResourceMembers {
  const { config, externalConfig } = content as Configs;
  const { mcpServers } = config?.tools ?? {};
  const { advisor, ...others } = config ?? {};
  const { cachedAgentCard: _card, ...external } = externalConfig ?? {};
  const vendor = content.vendorManagedConfig ?? claudeManagedConfig;
  const { cachedAgentInfo: _info, ...vendorConfig } = (vendor ?? {}) as ResourceMembers;
  const loopConfig = maxTurns !== undefined && {
    loopConfig: { maxTurns, ...(config?.loopConfig as object) },
  };
  return {
    ...content,
    ...(vendor != null && { vendorManagedConfig: vendorConfig }),
    ...((config || loopConfig) && {
      config: {
        ...others,
        ...(advisor !== null && advisor !== undefined && { advisor }),
        ...loopConfig,
        ...(mcpServers && { tools: { ...config?.tools, mcpServers: mcpServers.map(removeMark) } }),
      },
    }),
    ...(externalConfig && { externalConfig: removeMark(external) }),
  };
}

function removeMark<S extends Server>(server: S): S {
  if (!server.auth) return server;
  const { configured: _configured, ...auth } = server.auth;
  return { ...server, auth };
}

/** The credentials that servers need, with their places. */
function listCredentials(content: ResourceMembers): { at: PropertyKey[]; value: string | undefined }[] {
  const { config, externalConfig } = content as Configs;
  const findCredential = (server: Server, at: PropertyKey[], member: string) => {
    const { type = 'none' } = server.auth ?? {};
    const name = member === 'token' && type === 'basic' ? 'password' : member;
    const value = server.auth?.[name] as string | undefined;
    return type === 'none' || type === 'oauth' ? [] : [{ at: [...at, 'auth', name], value }];
  };
  return [
    ...(config?.tools?.mcpServers ?? []).flatMap((server, index) =>
      findCredential(server, ['config', 'tools', 'mcpServers', index], 'token'),
    ),
    ...(externalConfig ? findCredential(externalConfig, ['externalConfig'], 'credentials') : []),
  ];
}
