import type { AgentTools } from './tools-config.ts';

/** The tools that an agent names by their ids: its own, and those of its pools. */
export const toolIdsIn = ({ toolIds = [], subagentConfig, codeModeConfig }: AgentTools = {}): string[] => [
  ...toolIds,
  ...(subagentConfig?.toolPool ?? []),
  ...(codeModeConfig?.toolPool ?? []),
];

/** Whether a tool is one of an MCP server: it comes with its server. */
export const isOfMcpServer = (id: string) => id.startsWith('mcp:');
