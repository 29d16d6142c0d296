import { loadOnce } from '../../core/load-once.ts';
import type { McpPort } from '../ports.ts';
import { listedTools } from './listed-tools.ts';

/** The servers of a tenant. Loads the SDK with the first call: it takes long, and most runs call no MCP server. */
export const mcpPort = (tenant: string): McpPort => ({
  listTools: (request) =>
    listedTools(tenant, request, async (asked) => (await serverOf(asked)).listTools(asked)),
  callTool: async (call) => (await serverOf(call)).callTool(call),
});

const serverOf = ({ transport }: { transport?: 'streamable_http' | 'rest' | undefined }) =>
  transport === 'rest' ? rest() : protocol();

const protocol = loadOnce(async (): Promise<McpPort> => {
  const [{ callTool }, { sessionTools }] = await Promise.all([
    import('./call-tool.ts'),
    import('./session-tools.ts'),
  ]);
  return { callTool, listTools: sessionTools };
});
const rest = loadOnce(async () => (await import('./rest.ts')).restServer);
