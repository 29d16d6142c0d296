import { depthHeader } from '../../core/agent-depth.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import type { McpPort } from '../ports/mcp-port.ts';
import { listedTools } from './listed-tools.ts';

/** The servers of a tenant. Loads the SDK with the first call: it takes long, and most runs call no MCP server. */
export const mcpPort = (tenant: string): McpPort => {
  const listTools: McpPort['listTools'] = (request) =>
    listedTools(tenant, request, async (asked) => (await serverOf(asked)).listTools(asked));
  return {
    listTools,
    callTool: async (call) => {
      const { [depthHeader]: _depth, ...headers } = call.headers;
      return (await serverOf(call)).callTool(call, () => listTools({ ...call, headers }));
    },
  };
};

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
