import { loadOnce } from '../../core/concurrency/load-once.ts';
import type { McpPort, McpRequest } from '../ports/mcp-port.ts';
import { listedTools } from './listed-tools.ts';

/** The servers of a tenant. Loads the SDK with the first call: it takes long, and most runs call no MCP server. */
export const mcpPort = (tenant: string): McpPort => {
  const listTools: McpPort['listTools'] = (request) =>
    listedTools(tenant, request, async (asked) => (await serverOf(asked)).listTools(inContext(asked)));
  return {
    listTools,
    callTool: async (call) => (await serverOf(call)).callTool(inContext(call), () => listTools(call)),
  };
};

/** The author's headers come last, whatever the context says. */
const inContext = <R extends McpRequest>(request: R): R => ({
  ...request,
  headers: { ...request.context, ...request.headers },
});

const serverOf = ({ transport }: { transport?: 'streamable_http' | 'rest' | undefined }) =>
  transport === 'rest' ? rest() : protocol();

const protocol = loadOnce(async () => {
  const [{ callServerTool }, { sessionTools }] = await Promise.all([
    import('./call-tool.ts'),
    import('./session-tools.ts'),
  ]);
  return { callTool: callServerTool, listTools: sessionTools };
});
const rest = loadOnce(async () => (await import('./rest.ts')).restServer);
