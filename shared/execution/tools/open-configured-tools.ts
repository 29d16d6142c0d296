import type { Ports } from '../../adapters/ports/ports.ts';
import { isOfMcpServer } from '../../domain/flows/steps/tool-reference.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import type { RunnableTool } from './call-tool.ts';
import { openMcpServers } from './mcp-servers.ts';
import { openRuntimeTool, openTools, type ToolContext } from './open-tools.ts';

/** The permissions were checked when the agent or the flow was saved or, for an inline one, before the run. */
export const checkedBefore: ToolContext = { permissions: null };

export interface ConfiguredTools {
  saved: RunnableTool[];
  /** In the order of the config. */
  runtime: RunnableTool[];
  ofServers: RunnableTool[];
  /** Sentences about tools that are not available, for the model. */
  warnings: string[];
}

/** Names are unique within a list only. @param config With the values of the credentials. @throws StepError */
export async function openConfiguredTools(
  ports: Ports,
  {
    toolIds = [],
    runtimeTools = [],
    mcpServers = [],
  }: OwnTools & { toolIds?: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<ConfiguredTools> {
  // The tools of MCP servers come with their servers.
  const ids = toolIds.filter((id) => !isOfMcpServer(id));
  const [saved, runtime, servers] = await Promise.all([
    openTools(ports, ids, checkedBefore),
    Promise.all(runtimeTools.map((tool) => openRuntimeTool(ports, tool, checkedBefore))),
    mcpServers.length > 0 ? openMcpServers(ports, mcpServers, signal) : { tools: [], warnings: [] },
  ]);
  return { saved, runtime, ofServers: servers.tools, warnings: servers.warnings };
}
