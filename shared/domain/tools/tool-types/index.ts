import { customTool } from './custom.ts';
import { externalTool } from './external.ts';
import { flowTool } from './flow.ts';
import { graphqlTool } from './graphql.ts';
import { localTool } from './local.ts';
import { mcpTool } from './mcp.ts';
import { subagentTool } from './subagent.ts';
import type { ToolType } from './tool-type.ts';

/** All types of tools by name. To add one, add a file here, a line below, and its runner in `execution/tools/types`. */
export const toolTypes = {
  flow: flowTool,
  custom: customTool,
  external: externalTool,
  graphql: graphqlTool,
  mcp: mcpTool,
  local: localTool,
  subagent: subagentTool,
} satisfies Record<string, ToolType>;

export type ToolTypeName = keyof typeof toolTypes;
export const toolTypeNames = Object.keys(toolTypes) as [ToolTypeName, ...ToolTypeName[]];

/** The type of a stored tool, which was validated when it was saved. */
export function getToolType(name: string): ToolType {
  const type = Object.hasOwn(toolTypes, name) ? toolTypes[name as ToolTypeName] : undefined;
  if (!type) throw new Error(`Unknown tool type ${name}`);
  return type;
}
