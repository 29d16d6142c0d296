import type { Ports } from '../../adapters/ports.ts';
import { StepError } from '../../core/step-error.ts';
import type { AgentCapability } from '../../domain/agents/agent.ts';
import type { AgentConfig } from '../../domain/agents/agent-config.ts';
import type { ExternalConfig } from '../../domain/agents/external-config.ts';
import { isOfMcpServer } from '../../domain/agents/named-tools.ts';
import type { AgentTools, CodeModeConfig, McpServer } from '../../domain/agents/tools-config.ts';
import { refusalOf } from '../agent-loop/tool-calls.ts';
import { askAdvisorTool } from '../tools/agent-only/advisor-tool.ts';
import { artifactTools } from '../tools/agent-only/artifact-tools.ts';
import { memoryTools } from '../tools/agent-only/memory-tools.ts';
import { runCodeTool } from '../tools/agent-only/run-code.ts';
import { openAgentSkills } from '../tools/agent-skills.ts';
import { openMcpServers } from '../tools/mcp-servers.ts';
import { openRuntimeTool, openTools, type ToolContext } from '../tools/open-tools.ts';
import { isOfCaller, pageToolType, type RunnableTool } from '../tools/runnable-tool.ts';
import { toolNameOf } from '../tools/tool-name.ts';
import { withUniqueNames } from '../tools/unique-names.ts';
import { approvalOf } from './approval.ts';
import { withFixedArguments } from './fixed-arguments.ts';
import type { OpenedWorld } from './open-run.ts';
import type { ClientTool } from './run-input.ts';
import { spawnTool, subAgentTool } from './sub-agents.ts';
import { perToolLimitsOf } from './tool-limits.ts';

/** The permissions of an agent's tools were checked before the run, as those of a stored flow's steps. */
const context: ToolContext = { permissions: null };

export interface ToolWorld extends OpenedWorld {
  /** With the values of their credentials, as `skills`. */
  mcpServers: readonly McpServer[];
  /** An external agent whose skills are tools. */
  skills: ExternalConfig | null;
  /** Those of the caller. */
  clientTools: readonly ClientTool[] | undefined;
  /** Whose memory it is. */
  profile: string;
  signal: AbortSignal;
}

/**
 * All tools that an agent has, with unique names, and sentences about those that are not available.
 * @throws StepError if one cannot be opened.
 */
export async function openAgentTools(
  { tools: config = {}, memory, advisor, artifacts }: AgentConfig,
  capabilities: readonly AgentCapability[],
  world: ToolWorld,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  const { ports, mcpServers, skills, profile, model, conversation, newId, clientTools, signal } = world;
  const { runtimeTools = [], toolConfigs, subagentConfig, codeModeConfig } = config;
  const rules = {
    toolConfigs,
    approval: approvalOf(config.approval, capabilities),
    perToolLimits: perToolLimitsOf(config, capabilities),
  };
  const enabled = capabilities.filter((capability) => capability.enabled);
  const [saved, runtime, ofCaller, capable, servers, ofSkills, code] = await Promise.all([
    openTools(ports, withoutMcp(config.toolIds), context),
    Promise.all(runtimeTools.map((tool) => openRuntimeTool(ports, tool, context))),
    Promise.all((clientTools ?? []).map((tool) => openClientTool(ports, tool))),
    openCapabilities(ports, enabled),
    mcpServers.length > 0 ? openMcpServers(ports, mcpServers, signal) : { tools: [], warnings: [] },
    skills ? openAgentSkills(ports, skills, signal) : [],
    codeModeConfig ? openCodeMode(codeModeConfig, config, world) : [],
  ]);
  const own = [
    ...(memory?.enabled ? memoryTools({ ports, profile, model }) : []),
    ...(subagentConfig ? [spawnTool(ports.agents, subagentConfig, model, rules)] : []),
    ...(artifacts ? artifactTools(artifacts.types, newId) : []),
    ...(advisor ? [askAdvisorTool(ports, advisor, conversation)] : []),
  ];
  const all = [...saved, ...runtime, ...capable, ...servers.tools, ...ofSkills, ...own, ...code];
  const tools = withUniqueNames(withFixed(all, toolConfigs));
  return { tools: [...tools, ...withoutKnown(tools, ofCaller)], warnings: servers.warnings };
}

const withFixed = (tools: readonly RunnableTool[], toolConfigs: AgentTools['toolConfigs'] = {}) =>
  tools.map((tool) => withFixedArguments(tool, toolConfigs[tool.id] ?? toolConfigs[tool.name]));

async function openClientTool(ports: Ports, { page, ...tool }: ClientTool): Promise<RunnableTool> {
  const opened = await openRuntimeTool(ports, { ...tool, toolType: 'local', config: {} }, context);
  return page ? { ...opened, type: pageToolType } : opened;
}

/** Tools of the caller neither replace those of the agent nor get their rules: one with the name of another is left out. */
function withoutKnown(known: readonly RunnableTool[], ofCaller: readonly RunnableTool[]): RunnableTool[] {
  const taken = new Set(known.flatMap(({ id, name, otherNames = [] }) => [id, name, ...otherNames]));
  return withUniqueNames(ofCaller.filter(({ name }) => !taken.has(name)));
}

/** The tools of MCP servers come with their servers. */
const withoutMcp = (ids: readonly string[] = []) => ids.filter((id) => !isOfMcpServer(id));

/**
 * Code cannot wait for somebody, so it gets no tools that need an approval or the caller. The limits of calls hold for all
 * calls from code together, beside those that the model makes itself.
 */
async function openCodeMode(
  config: CodeModeConfig,
  { toolConfigs }: AgentTools,
  { ports, needsApproval, limits, codeCalls }: ToolWorld,
): Promise<RunnableTool[]> {
  const pool = await openTools(ports, withoutMcp(config.toolPool), context);
  const tools = withFixed(
    pool.filter((tool) => !isOfCaller(tool) && !needsApproval?.(tool)),
    toolConfigs,
  );
  const call = async (tool: RunnableTool, args: unknown, signal: AbortSignal) => {
    const refused = refusalOf({ name: tool.name, input: args ?? {} }, { tools, limits }, codeCalls.made());
    codeCalls.add(refused === undefined ? tool.id : undefined);
    if (refused) throw new StepError(refused);
    const outcome = await tool.run(args, signal);
    if ('awaitsCaller' in outcome) throw new StepError('Only the caller of the run can execute this tool');
    return outcome.output;
  };
  return [runCodeTool({ ports, config, tools, callsMax: limits.callsMax, call })];
}

async function openCapabilities(
  ports: Ports,
  capabilities: readonly AgentCapability[],
): Promise<RunnableTool[]> {
  const toolIds = capabilities.flatMap(({ toolId }) => toolId ?? []);
  const stored = new Map((await openTools(ports, toolIds, context)).map((tool) => [tool.id, tool]));
  const opened = capabilities.map(async (capability) => {
    const { toolId, flowId, subAgentId } = capability;
    if (subAgentId) return as(capability, subAgentTool(ports.agents, subAgentId));
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
  otherNames: [...(tool.otherNames ?? []), tool.name],
  ...(toolDescription && { description: toolDescription }),
  ...(parametersSchema && { parameters: { ...parametersSchema, type: 'object' } }),
});
