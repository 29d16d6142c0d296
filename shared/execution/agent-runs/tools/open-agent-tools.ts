import type { Ports } from '../../../adapters/ports/ports.ts';
import { pooledTools } from '../../../domain/agents/checks/named-tools.ts';
import type { AgentCapability } from '../../../domain/agents/config/agent.ts';
import type { AgentConfig } from '../../../domain/agents/config/agent-config.ts';
import type { RuntimeTool } from '../../../domain/flows/steps/runtime-tool.ts';
import { askAdvisorTool } from '../../tools/agent-only/advisor-tool.ts';
import { artifactTools } from '../../tools/agent-only/artifact-tools.ts';
import { memoryTools } from '../../tools/agent-only/memory-tools.ts';
import { openAgentSkills } from '../../tools/agent-skills.ts';
import { checkedBefore, openConfiguredTools } from '../../tools/open-configured-tools.ts';
import { openRuntimeTool, openTools } from '../../tools/open-tools.ts';
import { pageToolType, type RunnableTool } from '../../tools/runnable-tool.ts';
import { toToolName, withUniqueNames } from '../../tools/tool-name.ts';
import type { ClientTool } from '../input/run-input.ts';
import type { AgentToolWorld } from './agent-tool-world.ts';
import { withCapabilityTools } from './approval-gate.ts';
import { codeModeTool } from './code-mode.ts';
import { withFixed } from './fixed-arguments.ts';
import { spawnTool, subAgentTool } from './sub-agents.ts';
import { perToolLimits } from './tool-limits.ts';
import { mcpToolIds, missingIn, ownToolPools } from './tool-pools.ts';

/** With unique names, and sentences about tools that are not available. @throws StepError if one cannot be opened */
export async function openAgentTools(
  { tools: config = {}, memory, advisor, artifacts }: AgentConfig,
  capabilities: readonly AgentCapability[],
  world: AgentToolWorld,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  const { ports, skills, profile, model, conversation, newId, clientTools, signal } = world;
  const { runtimeTools = [], toolConfigs, subagentConfig, codeModeConfig } = config;
  const { mcpServers, named } = ownToolPools(runtimeTools, world);
  const rules = {
    toolConfigs,
    approval: withCapabilityTools(config.approval, capabilities),
    perToolLimits: perToolLimits(config, capabilities),
  };
  const enabled = capabilities.filter((capability) => capability.enabled);
  const pool = pooledTools(codeModeConfig?.toolPool ?? [], named);
  const [configured, ofCaller, capable, ofSkills, pooled] = await Promise.all([
    openConfiguredTools(ports, { toolIds: config.toolIds, runtimeTools, mcpServers }, signal),
    Promise.all((clientTools ?? []).map((tool) => openClientTool(ports, tool))),
    openCapabilities(ports, enabled),
    skills ? openAgentSkills(ports, skills, signal) : [],
    openTools(ports, pool.ids, checkedBefore),
  ]);
  const { saved, runtime, ofServers, warnings } = configured;
  const own = [
    ...(memory?.enabled ? memoryTools({ ports, profile, model }) : []),
    ...(subagentConfig ? [spawnTool(ports.agents, subagentConfig, model, rules, named)] : []),
    ...(artifacts ? artifactTools(artifacts.types, newId) : []),
    ...(advisor ? [askAdvisorTool(ports, advisor, conversation)] : []),
  ];
  const inPool = [
    ...pooled,
    ...runtime.filter((_tool, index) => pool.runtimeTools.includes(runtimeTools[index] as RuntimeTool)),
    ...ofServers.filter(({ id }) => mcpToolIds(pool.mcpServers).has(id)),
  ];
  const code = codeModeConfig ? [codeModeTool(codeModeConfig, inPool, config, world)] : [];
  const all = [...saved, ...runtime, ...capable, ...ofServers, ...ofSkills, ...own, ...code];
  const missing = missingIn([subagentConfig, codeModeConfig], named, ofServers);
  const tools = withUniqueNames(withFixed(all, toolConfigs));
  return { tools: [...tools, ...withoutKnown(tools, ofCaller)], warnings: [...warnings, ...missing] };
}

async function openClientTool(ports: Ports, { page, ...tool }: ClientTool): Promise<RunnableTool> {
  const opened = await openRuntimeTool(ports, { ...tool, toolType: 'local', config: {} }, checkedBefore);
  return page ? { ...opened, type: pageToolType } : opened;
}

/** Tools of the caller neither replace those of the agent nor get their rules: one with the name of another is left out. */
function withoutKnown(known: readonly RunnableTool[], ofCaller: readonly RunnableTool[]): RunnableTool[] {
  const taken = new Set(known.flatMap(({ id, name, otherNames = [] }) => [id, name, ...otherNames]));
  return withUniqueNames(ofCaller.filter(({ name }) => !taken.has(name)));
}

async function openCapabilities(
  ports: Ports,
  capabilities: readonly AgentCapability[],
): Promise<RunnableTool[]> {
  const toolIds = capabilities.flatMap(({ toolId }) => toolId ?? []);
  const stored = new Map((await openTools(ports, toolIds, checkedBefore)).map((tool) => [tool.id, tool]));
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
    checkedBefore,
  );

/** A tool under the name and the description of a capability. */
const as = (
  { toolName, toolDescription, parametersSchema }: AgentCapability,
  tool: RunnableTool,
): RunnableTool => ({
  ...tool,
  name: toToolName(toolName),
  otherNames: [...(tool.otherNames ?? []), tool.name],
  ...(toolDescription && { description: toolDescription }),
  ...(parametersSchema && { parameters: { ...parametersSchema, type: 'object' } }),
});
