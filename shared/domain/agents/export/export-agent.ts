import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { responseBytes, responseBytesMax } from '../../../platform/http/responses/envelope.ts';
import { credentialField } from '../../flows/steps/mcp-server.ts';
import { type ExportedFlow, mapTexts, withReferenceNames } from '../../flows/sub-flows/export.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AgentCapability } from '../config/agent.ts';
import type { ExternalConfig } from '../config/external-config.ts';
import {
  type ExportParts,
  exportLevelsMax,
  type LoadedAgent,
  loadForExport,
  tooManyBytes,
  tooMuch,
} from './load-for-export.ts';

type ExportedTool = Pick<Tool, 'id' | 'name' | 'description' | 'toolType' | 'parametersSchema' | 'config'>;

/** An agent for another runtime, with secrets referenced as `secret:<NAME>`. */
type ExportedAgent = {
  id: string;
  name: string;
  description: string | null;
  icon: string | null;
  agentType: 'native' | 'external';
  config: Record<string, unknown>;
  externalConfig?: ExternalConfig;
  primaryFlow?: ExportedFlow;
  capabilities?: ExportedCapability[];
};

type ExportedCapability = Omit<AgentCapability, 'id' | 'createdAt'> & {
  flow?: ExportedFlow;
  agent?: ExportedAgent;
  tool?: ExportedTool;
  /** Why the target is not inlined. */
  omitted?: 'depth' | 'cycle' | 'deleted' | 'vendor-managed';
};

export type AgentExport = ExportedAgent & {
  /** The stored tools that configs and steps of flows reference. */
  tools: ExportedTool[];
  /** The flows that these tools run. */
  flows: ExportedFlow[];
};

/** Errors are those of `loadForExport`. */
export const agentExporter = /* @__PURE__ */ using([loadForExport], (scope: Scope) => {
  const load = loadForExport(scope);
  return async (id: string): Promise<AgentExport> => {
    const parts = await load(id);
    const inline = inliner(parts);
    const agent = inline(parts.agents.get(id) as LoadedAgent);
    const tools = [...parts.tools.values()].map(exportedTool);
    const flows = [...parts.flows.values()];
    const exported = mapTexts({ ...agent, tools, flows }, (text) => parts.models.get(text) ?? text);
    if (responseBytes(exported) > responseBytesMax) throw tooMuch(tooManyBytes);
    return exported;
  };
});

/** Inlines the targets of capabilities. @throws 413 before the export becomes larger than a response. */
function inliner({ agents, flows, tools }: ExportParts) {
  let bytes = 0;
  const counted = <T>(part: T): T => {
    bytes += responseBytes(part);
    if (bytes > responseBytesMax) throw tooMuch(tooManyBytes);
    return part;
  };

  const inlineAgent = (agent: LoadedAgent, ancestors: readonly string[] = []): ExportedAgent => {
    const { id, name, description, icon, primaryFlowId, capabilities } = agent;
    const primaryFlow = primaryFlowId === null ? undefined : flows.get(primaryFlowId);
    const own = counted({
      id,
      name,
      description,
      icon,
      agentType: agent.agentType as ExportedAgent['agentType'],
      ...withReferenceNames(withCredentialNames(agent)),
      ...(primaryFlow && { primaryFlow }),
    });
    const path = [...ancestors, id];
    return { ...own, capabilities: capabilities.map((capability) => inlineCapability(capability, path)) };
  };

  function inlineCapability(
    { id: _id, createdAt: _createdAt, ...capability }: AgentCapability,
    path: readonly string[],
  ): ExportedCapability {
    return { ...counted(capability), ...targetOf(capability, path) };
  }

  type Target = Pick<ExportedCapability, 'flow' | 'agent' | 'tool' | 'omitted'>;
  function targetOf(
    { flowId, subAgentId, toolId }: Pick<AgentCapability, 'flowId' | 'subAgentId' | 'toolId'>,
    path: readonly string[],
  ): Target {
    if (path.length > exportLevelsMax) return { omitted: 'depth' };
    if (flowId !== null) return inlined('flow', flows.get(flowId), counted);
    if (subAgentId === null) {
      const tool = tools.get(toolId ?? '');
      return toolId?.startsWith('builtin:') ? {} : inlined('tool', tool && exportedTool(tool), counted);
    }
    if (path.includes(subAgentId)) return { omitted: 'cycle' };
    const agent = agents.get(subAgentId);
    if (agent?.agentType === 'vendor_managed') return { omitted: 'vendor-managed' };
    return inlined('agent', agent && inlineAgent(agent, path), (part) => part);
  }

  return inlineAgent;
}

const inlined = <T>(member: 'flow' | 'agent' | 'tool', part: T | undefined, count: (part: T) => T) =>
  part === undefined ? { omitted: 'deleted' as const } : { [member]: count(part) };

const exportedTool = ({ id, name, description, toolType, parametersSchema, config }: Tool): ExportedTool => ({
  id,
  name,
  description,
  toolType,
  parametersSchema,
  config: withReferenceNames(config),
});

/** The configs with the name of a secret in place of each stored credential. */
function withCredentialNames({ id, config, externalConfig }: LoadedAgent) {
  const secretOf = (use: string) => `secret:AGENT_${`${id.slice(-26)}_${use}`.toUpperCase()}`;
  const mcpServers = config?.tools?.mcpServers?.map((server, index) => {
    const field = credentialField(server);
    if (!server.auth?.configured || !field) return server;
    const { configured: _configured, ...auth } = server.auth;
    return { ...server, auth: { ...auth, [field]: secretOf(`MCP_${index}_${field}`) } };
  });
  return {
    config: { ...config, ...(mcpServers && { tools: { ...config?.tools, mcpServers } }) },
    ...(externalConfig && { externalConfig: withExternalName(externalConfig, secretOf('external')) }),
  };
}

function withExternalName(externalConfig: ExternalConfig, credentials: string): ExternalConfig {
  if (!externalConfig.auth?.configured) return externalConfig;
  const { configured: _configured, ...auth } = externalConfig.auth;
  return { ...externalConfig, auth: { ...auth, credentials } };
}
