/**
 * The stored shape of agents and of their versions: the schemas, the keys, and which fields lists have.
 *
 * An agent carries the content that its editor shows, which is its draft and what runs until a version is published; versions
 * are immutable items beside it in the same partition. Free-form configs are JSON text. Index 1 lists agents and versions,
 * index 2 finds a version, or the agent with that draft, by the version's id. Stores are `agent-store.ts` and
 * `agent-versions.ts`; the schemas of requests are beside this file.
 */

import * as z from 'zod';
import { defineEntity } from '../../../platform/data/entity.ts';
import { jsonText } from '../../../platform/data/json-text.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';
import { versionedFields, versionFields } from '../../../platform/data/versions/version-kind.ts';
import type { AgentConfig } from './agent-config.ts';
import type { ExternalConfig, VendorManagedConfig } from './external-config.ts';

export const agentTypes = ['native', 'external', 'vendor_managed'] as const;
export const agentStatuses = ['draft', 'active', 'paused', 'archived'] as const;

/** A flow, an agent or a tool that an agent can call as a tool. Exactly one of the three ids is set. */
export const AgentCapability = z.object({
  id: z.string(),
  toolName: z.string(),
  toolDescription: z.string().nullable(),
  flowId: z.string().nullable(),
  subAgentId: z.string().nullable(),
  toolId: z.string().nullable(),
  parametersSchema: z.record(z.string(), z.unknown()).nullable(),
  enabled: z.boolean(),
  displayOrder: z.int(),
  createdAt: z.string(),
});
export type AgentCapability = z.infer<typeof AgentCapability>;

/** What a version of an agent holds. Free-form values are stored as JSON text. */
const contentFields = {
  agentType: z.enum(agentTypes),
  primaryFlowId: z.string().nullable(),
  config: jsonText<AgentConfig | null>(),
  externalConfig: jsonText<ExternalConfig | null>(),
  vendorManagedConfig: jsonText<VendorManagedConfig | null>(),
  capabilities: jsonText<AgentCapability[]>(),
  /** The keys of the secrets that the configs reference. */
  secretKeys: z.array(z.string()),
};

/** A credential of an agent. Its value is in Secrets Manager only. */
const StoredCredential = z.object({ name: z.string(), id: z.string(), valueId: z.string() });

/** An agent with the content that its editor shows, which is also what runs until a version is published. */
export const Agent = z.object({
  ...versionedFields,
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  status: z.enum(agentStatuses),
  capabilityCount: z.int(),
  createdAt: z.string(),
  lastRunAt: z.string().nullable(),
  healthStatus: z.string().nullable(),
  lastHealthCheckAt: z.string().nullable(),
  ...contentFields,
  publishedSecretKeys: z.array(z.string()).optional(),
  credentials: z.array(StoredCredential),
  /** The names of those that the published version uses. */
  publishedCredentials: z.array(z.string()).optional(),
});
export type Agent = z.infer<typeof Agent>;

/** An immutable version. A draft has no item of its own: it is part of the agent. */
export const AgentVersion = z.object({
  ...versionFields,
  agentId: z.string(),
  configSummary: z.string().nullable(),
  ...contentFields,
});
export type AgentVersion = z.infer<typeof AgentVersion>;

export type AgentContent = Pick<Agent, keyof typeof contentFields>;

export const pickAgentContent = (content: AgentContent): AgentContent => ({
  agentType: content.agentType,
  primaryFlowId: content.primaryFlowId,
  config: content.config,
  externalConfig: content.externalConfig,
  vendorManagedConfig: content.vendorManagedConfig,
  capabilities: content.capabilities,
  secretKeys: content.secretKeys,
});

export const toStoredContent = <A extends AgentContent>(content: A) => ({
  ...content,
  config: JSON.stringify(content.config),
  externalConfig: JSON.stringify(content.externalConfig),
  vendorManagedConfig: JSON.stringify(content.vendorManagedConfig),
  capabilities: JSON.stringify(content.capabilities),
});

export const agentsPartition = tenantPartition('AGENTS');
const agentPartition = (id: string) => tenantPartition(`AGENT#${id}`);
export const agentKeysRange = (id: string) => ({ partition: agentPartition(id) });
export const agentVersionsPartition = (agentId: string) => tenantPartition(`AGENT#${agentId}#VERSIONS`);

/** Finds a version, or the agent with that draft, by the version's id. */
export const anyAgentVersionPartition = tenantPartition('AGENT_VERSIONS');

export const agentEntity = defineEntity({
  type: 'agent',
  noun: 'agent',
  schema: Agent,
  key: ({ id }: { id: string }) => ({ PK: agentPartition(id), SK: 'AGENT' }),
  index: ({ id, draft }) => ({
    PK1: agentsPartition,
    SK1: id,
    ...(draft && { PK2: anyAgentVersionPartition, SK2: draft.id }),
  }),
  summary: [
    'name',
    'search',
    'description',
    'icon',
    'primaryFlowId',
    'status',
    'capabilityCount',
    'createdAt',
    'updatedAt',
    'lastRunAt',
  ],
});

export const agentVersionEntity = defineEntity({
  type: 'agentVersion',
  schema: AgentVersion,
  key: ({ agentId, id }: { agentId: string; id: string }) => ({
    PK: agentPartition(agentId),
    SK: `VERSION#${id}`,
  }),
  index: ({ agentId, id }) => ({
    PK1: agentVersionsPartition(agentId),
    SK1: id,
    PK2: anyAgentVersionPartition,
    SK2: id,
  }),
  summary: ['number', 'type', 'configSummary', 'label', 'notes', 'createdAt'],
});

export const agentCredentialsPartition = tenantPartition('AGENTCREDENTIALS');

/** Lists a credential whose value is in Secrets Manager, also one that no agent names after a crash. */
export const agentCredentialEntity = defineEntity({
  type: 'agentCredential',
  schema: z.object({ id: z.string(), agentId: z.string() }),
  key: ({ id }: { id: string }) => ({ PK: agentCredentialsPartition, SK: id }),
});
