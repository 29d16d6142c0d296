import type { AgentCredentials } from './agent-credentials.ts';
import { type Configs, fieldOf } from './credential-places.ts';
import type { ExternalConfig } from './external-config.ts';
import type { McpServer } from './tools-config.ts';

type Values = Pick<AgentCredentials, 'mcpServers' | 'external'>;

/** The MCP servers of an agent, with the values of their credentials. */
export const serversWithCredentials = (
  { config }: Pick<Configs, 'config'>,
  { mcpServers }: Values,
): McpServer[] =>
  (config?.tools?.mcpServers ?? []).map((server) => {
    const field = fieldOf(server);
    const value = mcpServers.get(server.id);
    if (!server.auth || !field || value === undefined) return server;
    return { ...server, auth: { ...server.auth, [field]: value } };
  });

/** The config of an external agent, with the value of its credentials. */
export const externalWithCredentials = (config: ExternalConfig, { external }: Values): ExternalConfig =>
  config.auth && external !== undefined
    ? { ...config, auth: { ...config.auth, credentials: external } }
    : config;
