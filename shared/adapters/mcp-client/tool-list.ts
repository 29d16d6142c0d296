import { isDeeperThan } from '../../core/json/nesting.ts';
import { schemaCharactersMax, schemaLevelsMax } from '../json-schema/limits.ts';
import type { McpTool, McpToolList } from '../ports/mcp-port.ts';

const toolsMax = 200;
const nameCharactersMax = 128;

/** Of the descriptions and schemas of a server together. */
const charactersMax = 500_000;

export interface DescribedTool {
  name: string;
  description?: string | undefined;
  inputSchema?: Record<string, unknown> | undefined;
  annotations?: { readOnlyHint?: boolean | undefined; idempotentHint?: boolean | undefined } | undefined;
}

/** The tools within the limits, in their order, without repeated names. */
export function toToolList(described: readonly DescribedTool[]): McpToolList {
  const tools = new Map<string, McpTool>();
  let characters = 0;
  for (const tool of described) {
    if (tools.size === toolsMax || isTooLarge(tool)) continue;
    const length = JSON.stringify(tool.inputSchema ?? {}).length + (tool.description?.length ?? 0);
    if (characters + length > charactersMax) continue;
    if (!tools.has(tool.name)) {
      characters += length;
      tools.set(tool.name, toolOf(tool));
    }
  }
  return { tools: [...tools.values()], omitted: described.length - tools.size };
}

const isTooLarge = ({ name, inputSchema = {} }: DescribedTool) =>
  name.length > nameCharactersMax ||
  isDeeperThan(schemaLevelsMax, inputSchema) ||
  JSON.stringify(inputSchema).length > schemaCharactersMax;

/** Servers name drafts of JSON Schema by habit; the providers' dialect has no such member. */
function toolOf({ name, description = '', inputSchema = {}, annotations = {} }: DescribedTool): McpTool {
  const { $schema: _draft, ...schema } = inputSchema;
  const repeatable = annotations.readOnlyHint === true || annotations.idempotentHint === true;
  return { name, description, parameters: { ...schema, type: 'object' }, repeatable };
}
