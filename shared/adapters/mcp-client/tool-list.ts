import { isJsonObject } from '../../core/json/json.ts';
import { isDeeperThan } from '../../core/json/nesting.ts';
import { schemaCharactersMax, schemaLevelsMax } from '../json-schema/limits.ts';
import { walkSubschemas } from '../json-schema/subschemas.ts';
import type { McpTool, McpToolList } from '../ports/mcp-port.ts';
import type { JsonSchema } from '../ports/model-port.ts';

const toolsMax = 200;
const nameCharactersMax = 128;

/** Of the descriptions and schemas of a server together. */
const charactersMax = 500_000;

/**
 * The tools that a server describes, within the limits, in their order, without repeated names. Servers describe some of them
 * oddly, which costs no other: what has no meaning is left out, and a tool without a usable description is named.
 * @param described As the server wrote them.
 */
export function toToolList(described: readonly unknown[]): Required<Omit<McpToolList, 'unread'>> {
  const tools = new Map<string, McpTool>();
  const invalid: NonNullable<McpToolList['invalid']> = [];
  let omitted = 0;
  let characters = 0;
  for (const each of described) {
    const tool = parseTool(each);
    if ('problem' in tool) {
      if (invalid.length < toolsMax) invalid.push(tool);
      continue;
    }
    const length = measureTool(tool);
    const isWithin = length !== undefined && tools.size < toolsMax && characters + length <= charactersMax;
    if (!isWithin || tools.has(tool.name)) {
      omitted++;
      continue;
    }
    characters += length;
    tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], omitted, invalid };
}

/** Also of those that cannot be used. */
export const toToolNames = (described: readonly unknown[]): string[] =>
  described.flatMap((each) => (isJsonObject(each) && typeof each.name === 'string' ? [each.name] : []));

/** Of the description and the schema together; undefined for a tool that is too large. */
function measureTool({ name, description, parameters }: McpTool): number | undefined {
  if (name.length > nameCharactersMax || isDeeperThan(schemaLevelsMax, parameters)) return undefined;
  const schemaLength = JSON.stringify(parameters).length;
  return schemaLength > schemaCharactersMax ? undefined : schemaLength + description.length;
}

function parseTool(described: unknown): McpTool | { name: string; problem: string } {
  if (!isJsonObject(described)) return { name: '(no name)', problem: 'it is no object' };
  const { name, description, inputSchema, annotations } = described;
  if (typeof name !== 'string' || name === '') return { name: '(no name)', problem: 'it has no name' };
  const schema = inputSchema ?? {};
  if (!isJsonObject(schema)) return { name, problem: 'its inputSchema is no object' };
  const hints = isJsonObject(annotations) ? annotations : {};
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: parseParameters(schema),
    repeatable: hints.readOnlyHint === true || hints.idempotentHint === true,
  };
}

/**
 * Servers name drafts of JSON Schema by habit; the providers' dialect has no such member. They write null for what is absent,
 * and the first items of a list as earlier drafts did. A schema that is too deep to use is left as it is.
 */
function parseParameters(inputSchema: Record<string, unknown>): JsonSchema {
  if (isDeeperThan(schemaLevelsMax, inputSchema)) return inputSchema;
  const { $schema: _draft, ...schema } = structuredClone(inputSchema);
  for (const keyword of ['required', 'properties', 'additionalProperties', 'description']) {
    if (schema[keyword] === null) delete schema[keyword];
  }
  for (const { schema: part } of walkSubschemas(schema)) mendPrefixItems(part as Record<string, unknown>);
  return { ...schema, type: 'object' };
}

function mendPrefixItems(schema: Record<string, unknown>): void {
  if (!Array.isArray(schema.items) || schema.prefixItems !== undefined) return;
  const { items, additionalItems } = schema;
  schema.prefixItems = items;
  delete schema.items;
  delete schema.additionalItems;
  if (additionalItems !== undefined) schema.items = additionalItems;
}
