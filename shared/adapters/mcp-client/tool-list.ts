import { isDeeperThan } from '../../core/json/nesting.ts';
import { schemaCharactersMax, schemaLevelsMax } from '../json-schema/limits.ts';
import { walkSubschemas } from '../json-schema/subschemas.ts';
import type { McpTool, McpToolList } from '../ports/mcp-port.ts';
import type { JsonSchema } from '../ports/model-port.ts';

const toolsMax = 200;
const nameCharactersMax = 128;

/** Of the descriptions and schemas of a server together. */
const charactersMax = 500_000;

type Json = Readonly<Record<string, unknown>>;

/**
 * The tools that a server describes, within the limits, in their order, without repeated names. Servers describe some of them
 * oddly, which costs no other: what has no meaning is left out, and a tool without a usable description is named.
 * @param described As the server wrote them.
 */
export function toToolList(described: readonly unknown[]): Required<McpToolList> {
  const tools = new Map<string, McpTool>();
  const invalid: Required<McpToolList>['invalid'] = [];
  let omitted = 0;
  let characters = 0;
  for (const each of described) {
    const tool = toolIn(each);
    if ('problem' in tool) {
      if (invalid.length < toolsMax) invalid.push(tool);
      continue;
    }
    const length = lengthOf(tool);
    const isWithin = tools.size < toolsMax && characters + length <= charactersMax;
    if (!isWithin || isTooLarge(tool) || tools.has(tool.name)) {
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
  described.flatMap((each) => (isObject(each) && typeof each.name === 'string' ? [each.name] : []));

const lengthOf = ({ parameters, description }: McpTool) =>
  JSON.stringify(parameters).length + description.length;

const isTooLarge = ({ name, parameters }: McpTool) =>
  name.length > nameCharactersMax ||
  isDeeperThan(schemaLevelsMax, parameters) ||
  JSON.stringify(parameters).length > schemaCharactersMax;

function toolIn(described: unknown): McpTool | { name: string; problem: string } {
  if (!isObject(described)) return { name: '(no name)', problem: 'it is no object' };
  const { name, description, inputSchema, annotations } = described;
  if (typeof name !== 'string' || name === '') return { name: '(no name)', problem: 'it has no name' };
  if (isStated(inputSchema) && !isObject(inputSchema))
    return { name, problem: 'its inputSchema is no object' };
  const hints = isObject(annotations) ? annotations : {};
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: parametersIn(isObject(inputSchema) ? inputSchema : {}),
    repeatable: hints.readOnlyHint === true || hints.idempotentHint === true,
  };
}

/**
 * Servers name drafts of JSON Schema by habit; the providers' dialect has no such member. They write null for what is absent,
 * and the first items of a list as earlier drafts did.
 */
function parametersIn(inputSchema: Json): JsonSchema {
  const { $schema: _draft, ...schema } = structuredClone(inputSchema) as Record<string, unknown>;
  for (const keyword of ['required', 'properties', 'additionalProperties', 'description']) {
    if (schema[keyword] === null) delete schema[keyword];
  }
  for (const { schema: part } of walkSubschemas(schema)) withPrefixItems(part as Record<string, unknown>);
  return { ...schema, type: 'object' };
}

function withPrefixItems(schema: Record<string, unknown>): void {
  if (!Array.isArray(schema.items) || schema.prefixItems !== undefined) return;
  const { items, additionalItems } = schema;
  schema.prefixItems = items;
  delete schema.items;
  delete schema.additionalItems;
  if (additionalItems !== undefined) schema.items = additionalItems;
}

const isStated = (value: unknown) => value !== undefined && value !== null;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
