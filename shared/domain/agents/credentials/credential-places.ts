import { hasSecretReference } from '../../../core/secret-references.ts';
import { credentialField, type McpServer } from '../../flows/steps/mcp-server.ts';
import type { AgentContent } from '../config/agent.ts';
import type { ExternalConfig } from '../config/external-config.ts';

export type Configs = Pick<AgentContent, 'config' | 'externalConfig'>;

/** The name contains the origin, so that no credential reaches a server for which it was not sent. */
const composeName = (use: string, url: string) => `${use} ${URL.parse(url)?.origin ?? ''}`;

export const nameOfServer = (server: McpServer) =>
  composeName(`mcp:${server.id}:${credentialField(server)}`, server.url);

export const nameOfExternal = ({ auth, endpoint, agentCardUrl }: ExternalConfig) =>
  composeName(auth?.type === 'basic' ? 'external:basic' : 'external', endpoint ?? agentCardUrl ?? '');

export const listCredentialNames = ({ config, externalConfig }: Configs): string[] => [
  ...(config?.tools?.mcpServers ?? []).filter(({ auth }) => auth?.configured).map(nameOfServer),
  ...(externalConfig?.auth?.configured ? [nameOfExternal(externalConfig)] : []),
];

/**
 * Takes the plaintexts out of the configs and puts `configured: true` in their place. A credential that was not sent
 * stays if it has the same use and origin as before; references to secrets stay as written.
 * @returns the plaintexts by their names.
 */
export function extractPlaintexts<C extends Configs>(
  before: Configs,
  after: C,
): { content: C; plaintexts: Map<string, string> } {
  const plaintexts = new Map<string, string>();
  const kept = new Set(listCredentialNames(before));
  const isStored = (name: string, sent: string | undefined, configured: boolean | undefined) => {
    if (sent !== undefined) plaintexts.set(name, sent);
    return sent !== undefined || (configured !== false && kept.has(name));
  };
  const { config, externalConfig } = after;
  const { mcpServers } = config?.tools ?? {};
  const content = {
    ...after,
    ...(mcpServers && {
      config: { ...config, tools: { ...config?.tools, mcpServers: mcpServers.map(stripServer) } },
    }),
    ...(externalConfig?.auth && { externalConfig: stripExternal(externalConfig, externalConfig.auth) }),
  };
  return { content, plaintexts };

  function stripServer(server: McpServer): McpServer {
    const field = credentialField(server);
    if (!server.auth) return server;
    const { token: _token, password: _password, configured, ...auth } = server.auth;
    const sent = field && server.auth[field];
    if (field && sent !== undefined && hasSecretReference(sent))
      return { ...server, auth: { ...auth, [field]: sent } };
    const stored = field !== undefined && isStored(nameOfServer(server), sent, configured);
    return { ...server, auth: { ...auth, ...(stored && { configured: true }) } };
  }

  function stripExternal(
    external: ExternalConfig,
    givenAuth: NonNullable<ExternalConfig['auth']>,
  ): ExternalConfig {
    const { credentials, configured, ...auth } = givenAuth;
    if (auth.type === 'none') return { ...external, auth };
    if (credentials !== undefined && hasSecretReference(credentials))
      return { ...external, auth: { ...auth, credentials } };
    const stored = isStored(nameOfExternal(external), credentials, configured);
    return { ...external, auth: { ...auth, ...(stored && { configured: true }) } };
  }
}
