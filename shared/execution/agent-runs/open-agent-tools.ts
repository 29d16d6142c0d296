import type { Ports } from '../../adapters/ports.ts';
import type { AgentCapability, AgentContent } from '../../domain/agents/agent.ts';
import { openRuntimeTool, openTools, type ToolContext } from '../tools/open-tools.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { toolNameOf } from '../tools/tool-name.ts';
import { withUniqueNames } from '../tools/unique-names.ts';
import { withFixedArguments } from './fixed-arguments.ts';

/** The permissions of an agent's tools were checked before the run, as those of a stored flow's steps. */
const context: ToolContext = { permissions: null };

/** All tools that an agent has, with unique names. @throws StepError if one cannot be opened. */
export async function openAgentTools(ports: Ports, content: AgentContent): Promise<RunnableTool[]> {
  const { tools: config = {} } = content.config ?? {};
  const { toolIds = [], runtimeTools = [], toolConfigs = {} } = config;
  const capabilities = content.capabilities.filter(({ enabled }) => enabled);
  const [saved, runtime, capable] = await Promise.all([
    openTools(ports, toolIds, context),
    Promise.all(runtimeTools.map((tool) => openRuntimeTool(ports, tool, context))),
    openCapabilities(ports, capabilities),
  ]);
  const fixed = [...saved, ...runtime, ...capable].map((tool) =>
    withFixedArguments(tool, toolConfigs[tool.id] ?? toolConfigs[tool.name]),
  );
  return withUniqueNames(fixed);
}

async function openCapabilities(
  ports: Ports,
  capabilities: readonly AgentCapability[],
): Promise<RunnableTool[]> {
  const toolIds = capabilities.flatMap(({ toolId }) => toolId ?? []);
  const stored = new Map((await openTools(ports, toolIds, context)).map((tool) => [tool.id, tool]));
  return Promise.all(
    capabilities.flatMap(async (capability) => {
      const { toolId, flowId } = capability;
      const tool = toolId
        ? stored.get(toolId)
        : flowId
          ? await openFlow(ports, capability, flowId)
          : undefined;
      return tool ? [as(capability, tool)] : [];
    }),
  ).then((tools) => tools.flat());
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
