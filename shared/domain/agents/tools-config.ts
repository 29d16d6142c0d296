import * as z from 'zod';
import { nameUpTo } from '../../core/name.ts';
import { JsonSchemaText } from '../flows/steps/json-schema-text.ts';
import { ConnectionId } from '../mcp-connections/connection-auth.ts';
import { ServerUrl } from './server-url.ts';

const ToolName = z.string().min(1).max(128);
const timeoutMs = z.int().min(1_000).max(600_000);

/** The tools that sub-agents or code may use. */
const ToolPool = z
  .array(
    z.string().min(1).max(200).meta({
      description:
        'The id of a tool, the name of one of `runtimeTools`, or a tool of one of `mcpServers` as `mcp:<server>:<tool>` or `<server>__<tool>`',
    }),
  )
  .max(64);

const Approval = z.strictObject({
  require: z.union([z.boolean(), z.array(ToolName).max(128)]).meta({
    description: 'true: every call needs an approval. A list: calls of the tools with these names or ids do',
  }),
  timeout: z.number().positive().max(604_800_000).optional().meta({
    description:
      'How long a call waits for its approval, in milliseconds (a value under 1,000: in seconds). Then it is denied. Default: one day',
  }),
});

/** A time-out of a config in milliseconds: a value under 1,000 is in seconds (docs/decisions.md). */
export const timeoutMsOf = (timeout: number) => (timeout < 1_000 ? timeout * 1_000 : timeout);

/** A tool that exists in this agent only. */
export const RuntimeTool = z.strictObject({
  name: nameUpTo(100),
  description: z.string().max(4_000),
  toolType: z.enum(['flow', 'custom', 'external', 'local', 'advisor', 'subagent', 'search']),
  parametersSchema: JsonSchemaText,
  config: z.record(z.string(), z.unknown()),
});
export type RuntimeTool = z.infer<typeof RuntimeTool>;

const configured = z.boolean().optional().meta({
  description: 'Whether a credential is stored, in responses. In requests, false removes it',
});

/** The credentials of an MCP server. `token` and `password` are write-only. */
const McpAuth = z.strictObject({
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

export const McpServer = z.strictObject({
  id: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'Expected letters, digits, "_" and "-"')
    .meta({ description: 'Unique in the agent. Its tools are named `mcp:<id>:<tool>`' }),
  url: ServerUrl,
  name: nameUpTo(100).optional(),
  enabled: z.boolean().optional().meta({ description: 'Default: true' }),
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

const SubagentConfig = z.strictObject({
  toolPool: ToolPool.meta({ description: 'The tools that the agent may give to a sub-agent' }),
  defaultModel: nameUpTo(255).optional().meta({ description: 'Default: the model of the agent' }),
  defaultMaxTurns: z.int().min(1).max(100).optional().meta({ description: 'Default: 10' }),
  maxTurnsLimit: z.int().min(1).max(100).optional().meta({ description: 'Default: 25' }),
  maxSpawnsPerRun: z.int().min(1).max(50).optional().meta({ description: 'Default: 10' }),
  allowNesting: z.boolean().optional().meta({
    description: 'Whether sub-agents may spawn sub-agents themselves. Default: false',
  }),
  defaultTimeoutMs: timeoutMs.optional().meta({ description: 'Default: 300,000' }),
});
export type SubagentConfig = z.infer<typeof SubagentConfig>;

const CodeModeConfig = z.strictObject({
  toolPool: ToolPool.min(1).meta({ description: 'The tools that the code may call' }),
  description: z.string().max(4_000).optional(),
  timeoutMs: timeoutMs.optional().meta({ description: 'Default: 60,000' }),
});
export type CodeModeConfig = z.infer<typeof CodeModeConfig>;

/** The tools of an agent. */
export const AgentTools = z.strictObject({
  toolIds: z.array(z.string().min(1).max(200)).max(64).optional().meta({
    description:
      'Stored tools `tool_…`, built-in ones `builtin:<id>`, tools of MCP servers `mcp:<server>:<tool>`',
  }),
  toolConfigs: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .meta({ description: 'Fixed arguments by the id of a tool: the model does not see them' }),
  maxToolCalls: z.int().min(1).max(100).optional().meta({
    description: 'Of a run. Default: 10. Calls of unknown tools and with invalid arguments count too',
  }),
  toolCallStrategy: z.enum(['auto', 'required', 'none']).optional().meta({
    description: 'Whether the first turn may, must or must not call a tool. Default: auto',
  }),
  perToolLimits: z
    .record(
      ToolName,
      z.strictObject({
        maxCalls: z.number().int().min(0).max(100).optional(),
        required: z.boolean().optional().meta({
          description: 'true: the agent does not answer before it has called the tool',
        }),
      }),
    )
    .optional()
    .meta({
      description:
        'By the name or the id of a tool. Also counts the calls of code together, and those of each spawned agent',
    }),
  approval: Approval.optional(),
  runtimeTools: z.array(RuntimeTool).max(64).optional(),
  mcpServers: z.array(McpServer).max(16).optional(),
  subagentConfig: SubagentConfig.optional().meta({
    description: 'Gives the agent the tool spawn_agent, which runs sub-agents that it defines itself',
  }),
  codeModeConfig: CodeModeConfig.optional().meta({
    description: 'Gives the agent the tool run_code, whose JavaScript calls tools in the sandbox',
  }),
});
export type AgentTools = z.infer<typeof AgentTools>;
