import type { Ports } from '../../adapters/ports.ts';
import type { AgentCapability, AgentContent } from '../../domain/agents/agent.ts';
import type { McpServer } from '../../domain/agents/tools-config.ts';
import { memoryTools } from '../tools/agent-only/memory-tools.ts';
import { openMcpServers } from '../tools/mcp-servers.ts';
import { openRuntimeTool, openTools, type ToolContext } from '../tools/open-tools.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { toolNameOf } from '../tools/tool-name.ts';
import { withUniqueNames } from '../tools/unique-names.ts';
import { withFixedArguments } from './fixed-arguments.ts';
import type { SubAgents } from './sub-agents.ts';

/** The permissions of an agent's tools were checked before the run, as those of a stored flow's steps. */
const context: ToolContext = { permissions: null };

export interface ToolWorld {
  ports: Ports;
  /** With the values of their credentials. */
  mcpServers: readonly McpServer[];
  subAgents: SubAgents;
  /** Whose memory it is, and the model that answers from it. */
  memory: { profile: string; model: string };
  signal: AbortSignal;
}

/**
 * All tools that an agent has, with unique names, and sentences about those that are not available.
 * @throws StepError if one cannot be opened.
 */
export async function openAgentTools(
  { config, capabilities }: AgentContent,
  { ports, mcpServers, subAgents, memory, signal }: ToolWorld,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  const { toolIds = [], runtimeTools = [], toolConfigs = {}, subagentConfig } = config?.tools ?? {};
  const [saved, runtime, capable, servers] = await Promise.all([
    openTools(
      ports,
      toolIds.filter((id) => !id.startsWith('mcp:')),
      context,
    ),
    Promise.all(runtimeTools.map((tool) => openRuntimeTool(ports, tool, context))),
    openCapabilities(
      ports,
      capabilities.filter(({ enabled }) => enabled),
      subAgents,
    ),
    mcpServers.length > 0 ? openMcpServers(ports, mcpServers, signal) : { tools: [], warnings: [] },
  ]);
  const own = [
    ...(config?.memory?.enabled ? memoryTools({ ports, ...memory }) : []),
    ...(subagentConfig ? [subAgents.spawner(subagentConfig)] : []),
  ];
  const all = [...saved, ...runtime, ...capable, ...servers.tools, ...own];
  const fixed = all.map((tool) => withFixedArguments(tool, toolConfigs[tool.id] ?? toolConfigs[tool.name]));
  return { tools: withUniqueNames(fixed), warnings: servers.warnings };
}

async function openCapabilities(
  ports: Ports,
  capabilities: readonly AgentCapability[],
  subAgents: SubAgents,
): Promise<RunnableTool[]> {
  const toolIds = capabilities.flatMap(({ toolId }) => toolId ?? []);
  const stored = new Map((await openTools(ports, toolIds, context)).map((tool) => [tool.id, tool]));
  const opened = capabilities.map(async (capability) => {
    const { toolId, flowId, subAgentId } = capability;
    if (subAgentId) return as(capability, subAgents.tool(subAgentId));
    const tool = toolId ? stored.get(toolId) : flowId && (await openFlow(ports, capability, flowId));
    return tool ? as(capability, tool) : [];
  });
  return (await Promise.all(opened)).flat();
}

const openFlow = (
  ports: Ports,
  { toolName, toolDescription, parametersSchema }: AgentCapability,
  flowId: string,
) =>
  openRuntimeTool(
    ports,
    {
      name: toolName,
      description: toolDescription ?? '',
      toolType: 'flow',
      parametersSchema: parametersSchema ?? { type: 'object' },
      config: { flowId },
    },
    context,
  );

/** A tool under the name and the description of a capability. */
const as = (
  { toolName, toolDescription, parametersSchema }: AgentCapability,
  tool: RunnableTool,
): RunnableTool => ({
  ...tool,
  name: toolNameOf(toolName),
  ...(toolDescription && { description: toolDescription }),
  ...(parametersSchema && { parameters: { ...parametersSchema, type: 'object' } }),
});
