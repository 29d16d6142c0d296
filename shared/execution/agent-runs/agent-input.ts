/**
 * What a run of an agent takes: the content of a stored agent or an inline one, and the input that is stored with the
 * execution.
 * Checks come before anything is written: permissions for everything that the agent can reach, targets, connections, no
 * plaintext credentials in an inline agent.
 * `toRunnableConfig` is the config that the loop uses; an external agent's follows from its orchestration.
 */
import * as z from 'zod';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import { limitQueueTime, sandbox } from '../../adapters/sandbox/sandbox.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { nameUpTo } from '../../core/name.ts';
import { hasSecretReference } from '../../core/secret-references.ts';
import { assertTargets } from '../../domain/agents/agent-capabilities.ts';
import { agentStore } from '../../domain/agents/agent-store.ts';
import { agentVersions, type VersionChoice } from '../../domain/agents/agent-versions.ts';
import { checkAgent } from '../../domain/agents/checks/check-agent.ts';
import { listToolIds } from '../../domain/agents/checks/named-tools.ts';
import type { Agent, AgentCapability, AgentContent } from '../../domain/agents/config/agent.ts';
import { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import { CapabilityInput, capabilitiesMax, newCapability } from '../../domain/agents/config/capabilities.ts';
import { secretKeysOfAgent } from '../../domain/agents/credentials/secret-keys.ts';
import type { PageTool } from '../../domain/client-sessions/page-tool.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { credentialField } from '../../domain/flows/steps/mcp-server.ts';
import { isOfMcpServer } from '../../domain/flows/steps/tool-reference.ts';
import { assertConnections, connectionsOfServers } from '../../domain/mcp-connections/named-connections.ts';
import { permissionsToRun } from '../../domain/tools/own-tool-problems.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Permission } from '../../platform/identity/permissions.ts';
import { type Principal, requireAll } from '../../platform/identity/principal.ts';
import { getAgentOrchestration } from '../tools/agent-skills.ts';

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
    if (content.externalConfig) return { id, name, versionId: null, content: addLiveCard(content, agent) };
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

function addLiveCard(content: AgentContent, { externalConfig: live }: Agent): AgentContent {
  if (!content.externalConfig || !live) return content;
  const { cachedAgentCard, skillsOverride } = live;
  return { ...content, externalConfig: { ...content.externalConfig, cachedAgentCard, skillsOverride } };
}

/** The agent that a dispatch runs: a stored one, or one that exists for this run only. */
export const DispatchedAgent = z
  .strictObject({
    id: resourceId('agent')
      .optional()
      .meta({ description: 'The id of a stored agent; excludes the other members' }),
    name: nameUpTo(255).optional(),
    config: AgentConfig.optional(),
    capabilities: z.array(CapabilityInput).max(capabilitiesMax).optional(),
  })
  .superRefine((agent, context) => {
    if (agent.id && Object.keys(agent).length > 1) {
      context.addIssue({ code: 'custom', message: 'Give only the id for a stored agent' });
    }
    if (!agent.id && !agent.config) {
      context.addIssue({ code: 'custom', path: ['config'], message: 'Required, unless an id is given' });
    }
  });
export type DispatchedAgent = z.infer<typeof DispatchedAgent>;

/** What a dispatched run of an agent needs. @throws 400, 403, 404 */
export async function resolveDispatchedAgent(
  scope: Scope,
  principal: Principal,
  sent: DispatchedAgent,
  version: string | undefined,
): Promise<{ agent: AgentToRun; permissions: Permission[] }> {
  const { environment } = principal;
  if (sent.id) {
    const permissions = requirePermissions(principal, ['AGENTS:EXECUTE']);
    return { agent: await agentToRun(scope)(sent.id, { environment, version }), permissions };
  }
  const content = buildContent(scope, sent);
  refusePlaintexts(content);
  const permissions = requirePermissions(principal, await listNeededPermissions(scope, content));
  await checkAgent(content, limitQueueTime(sandbox(scope)));
  await assertTargets(scope.table, content.capabilities);
  await assertConnections(scope.table, connectionsOfServers(content.config?.tools?.mcpServers));
  return { agent: inlineAgent(sent.name ?? 'Inline agent', content), permissions };
}

function buildContent(
  { newId, now }: Scope,
  { config = {}, capabilities = [] }: DispatchedAgent,
): AgentContent {
  const createdAt = now().toISOString();
  return inlineContent(
    config,
    capabilities.map((capability, displayOrder) =>
      newCapability(capability, { id: newId('cap'), createdAt, displayOrder }),
    ),
  );
}

/** The run stores its agent, and a credential must not be stored in the clear. */
function refusePlaintexts({ config }: AgentContent): void {
  for (const [index, server] of (config?.tools?.mcpServers ?? []).entries()) {
    const field = credentialField(server);
    const value = field && server.auth?.[field];
    if (!field || value === undefined || hasSecretReference(value)) continue;
    throw invalidAt(
      `agent.config.tools.mcpServers.${index}.auth.${field}`,
      'SECRET_NOT_ALLOWED',
      'An inline agent names its credentials as {{secret:KEY}}; store the value with POST /v1/secrets',
    );
  }
}

async function listNeededPermissions(scope: Scope, content: AgentContent): Promise<Permission[]> {
  const { config, capabilities, secretKeys } = content;
  const { runtimeTools, mcpServers } = config?.tools ?? {};
  const ids = [
    ...listToolIds(config?.tools).filter((id) => !isOfMcpServer(id)),
    ...capabilities.flatMap(({ toolId }) => toolId ?? []),
  ];
  return [
    'AGENTS:EXECUTE',
    // An agent can send a secret to a server of its author, so only callers who may create agents may reference secrets.
    // Likewise connections, which act for the person who authorized them.
    ...(secretKeys.length > 0 || connectionsOfServers(mcpServers).length > 0
      ? (['AGENTS:WRITE'] as const)
      : []),
    ...(await permissionsToRun(scope, { ids, runtimeTools, mcpServers })),
    ...(capabilities.some(({ flowId }) => flowId) ? (['FLOWS:EXECUTE'] as const) : []),
    ...(config?.memory?.enabled ? (['RECORDS:READ', 'RECORDS:WRITE'] as const) : []),
  ];
}

function requirePermissions(principal: Principal, needed: readonly Permission[]): Permission[] {
  requireAll(principal, needed);
  return [...new Set(needed)];
}

export interface ClientTool {
  name: string;
  description: string;
  parametersSchema: JsonSchema;
  /** Of a tool of a web page: how the page names it. */
  page?: Pick<PageTool, 'name' | 'origin' | 'pageOrigin'> | undefined;
}

export interface RunHistory {
  conversationId: string;
  /** Replacing all messages starts another one. */
  generation: string;
  /** The number of the first of the messages in the conversation. */
  firstNumber: number;
  /** Of the messages before them. */
  summary?: string | undefined;
  /** The system messages among them. */
  instructions?: string | undefined;
}

export interface RunInput {
  messages: readonly Message[];
  /** The system prompt with its variables filled in. */
  system: string;
  profile: string;
  /** When the previous message of the conversation was sent. ISO. */
  previousMessageAt?: string | undefined;
  history?: RunHistory | undefined;
  responseSchema?: JsonSchema | undefined;
  clientTools?: readonly ClientTool[] | undefined;
  modelOverride?: string | undefined;
}

export interface AgentToRun {
  /** Null for an agent that was given inline. */
  id: string | null;
  name: string;
  /** The immutable version; null for unpublished content. */
  versionId: string | null;
  content: AgentContent;
}

const skillTurns = 10;

/** Whether an external agent answers by itself. Otherwise a model does, with the agent's skills as its tools. */
export const isDelegated = ({ agentType, externalConfig }: AgentContent) =>
  agentType === 'external' && externalConfig !== null && getAgentOrchestration(externalConfig) === 'delegate';

/** The config of the loop that runs an agent. For an external agent it follows from its orchestration. */
export function toRunnableConfig({ agentType, config, externalConfig }: AgentContent): AgentConfig {
  if (agentType !== 'external' || !externalConfig) return config ?? {};
  const orchestrator = getAgentOrchestration(externalConfig);
  // The other server has its own tools, memory and limits.
  if (orchestrator === 'delegate') return { errorHandling: config?.errorHandling };
  return { ...config, ...orchestrator, loopConfig: { maxTurns: skillTurns, ...config?.loopConfig } };
}

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
