import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { JsonSchemaText } from './common-config.ts';

export const ToolName = z.string().min(1).max(128);

/** A stored tool, or a built-in one as `builtin:<id>`. Not a template: its permissions are checked before a run. */
export const ToolReference = z
  .string()
  .regex(
    /^(tool_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}|builtin:[a-z][a-z-]{1,63})$/,
    'Expected the id of a tool, tool_<26 characters>, or builtin:<id>',
  )
  .meta({ example: 'builtin:date-time', description: 'The id of a stored tool, or `builtin:<id>`' });

const prefix = 'builtin:';
export const toBuiltinReference = (id: string) => `${prefix}${id}`;
/** The id of a built-in tool; undefined for a stored tool. */
export const readBuiltinId = (reference: string): string | undefined =>
  reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;

/** Whether a tool is one of an MCP server: it comes with its server. */
export const isOfMcpServer = (id: string) => id.startsWith('mcp:');

export function stepToolIds({
  type,
  config = {},
}: {
  type: string;
  config?: Record<string, unknown> | undefined;
}): string[] {
  if (type === 'tool-call') return [config.toolId as string];
  return type === 'prompt' ? ((config.tools as { toolIds?: string[] } | undefined)?.toolIds ?? []) : [];
}

/** A tool that exists in one agent or one step only. */
export const RuntimeTool = z.strictObject({
  name: nameUpTo(100),
  description: z.string().max(4_000),
  toolType: z.enum(['flow', 'custom', 'external', 'local', 'advisor', 'subagent', 'search']),
  parametersSchema: JsonSchemaText,
  config: z.record(z.string(), z.unknown()),
});
export type RuntimeTool = z.infer<typeof RuntimeTool>;
