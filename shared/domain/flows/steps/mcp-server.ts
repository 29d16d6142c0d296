import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { ConnectionId } from '../../mcp-connections/connection-auth.ts';
import { ServerUrl } from './http-config.ts';
import { ToolName } from './tool-reference.ts';

/** A time-out of a config in milliseconds: a value under 1,000 is in seconds. */
export const toTimeoutMs = (timeout: number) => (timeout < 1_000 ? timeout * 1_000 : timeout);

const configured = z.boolean().optional().meta({
  description: 'Whether a credential is stored, in responses. In requests, false removes it',
});

/** The credentials of an MCP server. `token` and `password` are write-only. */
export const McpAuth = z.strictObject({
  type: z.enum(['api_key', 'bearer', 'basic', 'custom_header', 'none', 'oauth']),
  token: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'Write-only, or with `{{secret:KEY}}`. At least 8 characters' }),
  headerName: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'Expected the name of an HTTP header')
    .optional()
    .meta({ description: 'For api_key and custom_header. Default: X-API-Key' }),
  username: z.string().max(1_000).optional(),
  password: z.string().min(1).max(10_000).optional(),
  connectionId: ConnectionId.optional(),
  configured,
});

export type McpAuth = z.infer<typeof McpAuth>;

export const McpServer = z.strictObject({
  id: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'Expected letters, digits, "_" and "-"')
    .meta({ description: 'Unique in the list. Its tools are named `mcp:<id>:<tool>`' }),
  url: ServerUrl,
  name: nameUpTo(100).optional(),
  enabled: z.boolean().optional().meta({ description: 'Default: true' }),
  required: z.boolean().optional().meta({
    description:
      'Whether the run fails if the server does not list its tools, or `allowedTools`, to the end. Default: a warning, `TOOLS_MISSING`',
  }),
  transport: z.enum(['streamable_http', 'rest']).optional().meta({ description: 'Default: streamable_http' }),
  timeout: z.number().positive().max(600_000).optional().meta({
    description: 'Of a call, in milliseconds (a value under 1,000: in seconds). Default: 30,000',
  }),
  allowedTools: z
    .array(ToolName)
    .max(128)
    .optional()
    .meta({ description: 'The tools that the model sees. Default: all' }),
  auth: McpAuth.optional(),
});
export type McpServer = z.infer<typeof McpServer>;

/** The member with the credential of a server; undefined for a server without credentials. */
export const credentialField = ({ auth }: { auth?: Pick<McpAuth, 'type'> | undefined }) => {
  if (!auth || auth.type === 'none' || auth.type === 'oauth') return undefined;
  return auth.type === 'basic' ? 'password' : 'token';
};
