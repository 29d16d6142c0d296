import type { NamedConnection } from '../mcp-connections/named-connections.ts';
import type { McpServer } from './tools-config.ts';

/** The MCP connections that the servers of an agent name. */
export const connectionsOfServers = (servers: readonly McpServer[] = []): NamedConnection[] =>
  servers.flatMap(({ url, auth }, index) =>
    auth?.type === 'oauth' && auth.connectionId !== undefined
      ? [{ connectionId: auth.connectionId, url, path: `config.tools.mcpServers.${index}.auth.connectionId` }]
      : [],
  );
