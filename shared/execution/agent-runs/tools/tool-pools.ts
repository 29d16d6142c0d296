import { pooledTools } from '../../../domain/agents/checks/named-tools.ts';
import type { RuntimeTool } from '../../../domain/flows/steps/runtime-tool.ts';
import type { OwnTools } from '../../../domain/tools/own-tool-problems.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';
import type { AgentToolWorld } from './agent-tool-world.ts';

/** The servers of an agent with their credentials, and what its pools can name. */
export function ownToolPools(
  runtimeTools: readonly RuntimeTool[],
  { mcpServers, inherited }: AgentToolWorld,
) {
  if (!inherited) return { mcpServers, named: { runtimeTools, mcpServers } };
  const authOf = new Map(inherited.mcpServers?.map(({ id, auth }) => [id, auth]));
  return {
    mcpServers: mcpServers.map((server) => ({ ...server, auth: authOf.get(server.id) })),
    named: inherited,
  };
}

/** Tools of servers that answer, which a pool names and the server does not have. */
export function missingIn(
  configs: readonly ({ toolPool: string[] } | undefined)[],
  named: OwnTools,
  opened: readonly RunnableTool[],
): string[] {
  const known = opened.map(({ id }) => id);
  const { mcpServers } = pooledTools(
    [...new Set(configs.flatMap((config) => config?.toolPool ?? []))],
    named,
  );
  return mcpServers.flatMap(({ id, allowedTools }) => {
    const answers = known.some((each) => each.startsWith(`mcp:${id}:`));
    const missing = allowedTools.filter((tool) => !known.includes(`mcp:${id}:${tool}`));
    const what = `The MCP server "${id}" has no tool ${missing.join(', ')}, which a tool pool names`;
    return answers && missing.length > 0 ? [what] : [];
  });
}

export const mcpToolIds = (servers: readonly { id: string; allowedTools: string[] }[]) =>
  new Set(servers.flatMap(({ id, allowedTools }) => allowedTools.map((tool) => `mcp:${id}:${tool}`)));
