import * as z from 'zod';
import { requestConfig } from './request-config.ts';
import { defineToolType } from './tool-type.ts';

export const mcpTool = defineToolType({
  type: 'mcp',
  summary: 'Calls a tool of an MCP server over streamable HTTP',
  config: z.strictObject({
    ...requestConfig,
    toolName: z.string().min(1).max(255).meta({ description: 'The name of the tool on the server' }),
  }),
  effects: true,
  takesSecrets: true,
  permission: null,
});
