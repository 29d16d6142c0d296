import * as z from 'zod';
import { Auth } from '../../flows/steps/http-config.ts';
import { OAuthAuth } from '../../mcp-connections/connection-auth.ts';
import { requestConfig } from './request-config.ts';
import { defineToolType } from './tool-type.ts';

export const mcpTool = defineToolType({
  type: 'mcp',
  summary: 'Calls a tool of an MCP server over streamable HTTP',
  config: z.strictObject({
    ...requestConfig,
    auth: z.discriminatedUnion('type', [...Auth.options, OAuthAuth]).optional(),
    toolName: z.string().min(1).max(255).meta({ description: 'The name of the tool on the server' }),
  }),
  effects: true,
  takesSecrets: 'credentials',
  permission: null,
});
