import { loadOnce } from '../../core/load-once.ts';
import type { McpPort } from '../ports.ts';

/** Loads the SDK with the first call: it takes long, and most runs call no MCP server. */
export const mcpPort: McpPort = {
  callTool: async (call) => (await load()).callTool(call),
};

const load = loadOnce(() => import('./call-tool.ts'));
