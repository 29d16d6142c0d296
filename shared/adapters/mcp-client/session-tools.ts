/**
 * The tools of an MCP server that can be used: listed page by page, checked one by one.
 * One that cannot be used costs no other, and is named with its reason; those beyond the limits are counted. A page that cannot be
 * read costs those behind it; the first page, or a server that asks for authorization, costs all. `call-tool.ts` asks here again when
 * a call was refused, since servers change their tools.
 */
import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { isDeeperThan } from '../../core/json/nesting.ts';
import { schemaCharactersMax, schemaLevelsMax } from '../json-schema/limits.ts';
import { walkSubschemas } from '../json-schema/subschemas.ts';
import type { McpFailure, McpRequest, McpTool, McpToolList } from '../ports/mcp-port.ts';
import type { JsonSchema } from '../ports/model-port.ts';
import { Unauthorized } from './guarded-fetch.ts';
import { paramHeadersProblem } from './param-headers.ts';
import { type McpSession, runInSession, toMcpFailure } from './session.ts';

/** A page that cannot be read costs no tool of the pages before it, unless the server asks for authorization. */
export async function sessionTools(request: McpRequest): Promise<McpToolList | McpFailure> {
  const read: { session?: McpSession; described: unknown[] } = { described: [] };
  try {
    return await runInSession(request, async (session) => {
      Object.assign(read, { session, described: [] });
      return selectUsable(session, await listServerTools(session, read.described));
    });
  } catch (error) {
    request.signal.throwIfAborted();
    const { session, described } = read;
    if (!session || described.length === 0 || error instanceof Unauthorized) return toMcpFailure(error);
    return { ...selectUsable(session, described), unread: toReason(error) };
  }
}

function toReason(error: unknown): NonNullable<McpToolList['unread']> {
  try {
    return toMcpFailure(error);
  } catch (failure) {
    if (!(failure instanceof StepError)) throw failure;
    return { problem: failure.message, retryable: failure.retryable };
  }
}

export const usableTools = async (session: McpSession): Promise<McpToolList> =>
  selectUsable(session, await listServerTools(session));

/** The tools within the limits. Only the protocol 2026-07-28 has headers for arguments. */
function selectUsable(session: McpSession, described: readonly unknown[]): McpToolList {
  const { tools, omitted, invalid } = toToolList(described);
  if (!repeatsArguments(session)) return { tools, omitted, invalid };
  const judged = tools.map((tool) => ({ tool, problem: paramHeadersProblem(tool.parameters) }));
  return {
    tools: judged.flatMap(({ tool, problem }) => (problem === undefined ? [tool] : [])),
    omitted,
    invalid: [
      ...invalid,
      ...judged.flatMap(({ tool: { name }, problem }) => (problem === undefined ? [] : [{ name, problem }])),
    ],
  };
}

/** Whether servers may demand that headers repeat some arguments. */
export const repeatsArguments = ({ client }: McpSession) => client.getProtocolEra() === 'modern';

/** More than an agent gets of a server. */
const listedMax = 1_000;

/** Each tool is judged by itself: one that the SDK would refuse costs no other. */
const ToolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * The server's tools as it describes them: all, or more than can be used. A session refuses a list on too many pages.
 * @param tools Gets them page by page, so that those before a page that cannot be read are there.
 */
export async function listServerTools(
  { client, options }: McpSession,
  tools: unknown[] = [],
): Promise<unknown[]> {
  const cursors = new Set<string | undefined>();
  for (let cursor: string | undefined; ; ) {
    cursors.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, ToolPage, options);
    tools.push(...answer.tools);
    cursor = answer.nextCursor ?? undefined;
    // The same cursor again leads to tools that were read.
    if (cursor === undefined || cursors.has(cursor) || tools.length > listedMax) return tools;
  }
}

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
