import type { McpServer } from '../../flows/steps/mcp-server.ts';
import { type RuntimeTool, ToolReference } from '../../flows/steps/tool-reference.ts';
import type { OwnTools } from '../../tools/own-tool-problems.ts';
import type { AgentTools } from '../config/agent-config.ts';

/** The tools that an agent names by their ids: its own, and those of its pools. */
export const listToolIds = ({ toolIds = [], subagentConfig, codeModeConfig }: AgentTools = {}): string[] => [
  ...toolIds,
  ...[...(subagentConfig?.toolPool ?? []), ...(codeModeConfig?.toolPool ?? [])].filter(isToolId),
];

const isToolId = (name: string) => ToolReference.safeParse(name).success;

export interface PooledTools {
  ids: string[];
  runtimeTools: RuntimeTool[];
  /** Each with the tools that the pool names, of those that it allows. */
  mcpServers: (McpServer & { allowedTools: string[] })[];
  /** The places of names that stand for nothing. */
  unknown: number[];
}

/** What the names of a pool stand for: an id, the name of a runtime tool, `mcp:<server>:<tool>` or `<server>__<tool>`. */
export function resolvePool(names: readonly string[], agentTools: OwnTools): PooledTools {
  const { runtimeTools = [], mcpServers = [] } = agentTools;
  const pooled: PooledTools = { ids: [], runtimeTools: [], mcpServers: [], unknown: [] };
  for (const [index, name] of names.entries()) {
    const runtimeTool = runtimeTools.find((tool) => tool.name === name);
    const ofServer = mcpServers.flatMap((server) => matchServerTool(server, name) ?? [])[0];
    if (isToolId(name)) pooled.ids.push(name);
    else if (runtimeTool) pooled.runtimeTools.push(runtimeTool);
    else if (ofServer) addTo(pooled.mcpServers, ofServer);
    else pooled.unknown.push(index);
  }
  return pooled;
}

function matchServerTool(server: McpServer, name: string): { server: McpServer; tool: string } | undefined {
  const prefix = [`mcp:${server.id}:`, `${server.id}__`].find((each) => name.startsWith(each));
  const tool = prefix && name.slice(prefix.length);
  const isAllowed = tool && (server.allowedTools?.includes(tool) ?? true);
  return isAllowed ? { server, tool } : undefined;
}

function addTo(servers: PooledTools['mcpServers'], { server, tool }: { server: McpServer; tool: string }) {
  const existing = servers.find(({ id }) => id === server.id);
  if (existing) existing.allowedTools.push(tool);
  else servers.push({ ...server, allowedTools: [tool] });
}
