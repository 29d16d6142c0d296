/**
 * Stores and lists the tools of a tenant.
 * Each write includes the index of secrets that the tool uses, and connections to MCP servers must exist when they are
 * named. A change is decided on the current tool; the caller's check gets the tool as it would be. Removal leaves a
 * tombstone, by which the cleanup removes what runs of the tool have stored.
 * Lists read index entries, filtered by DynamoDB; with schemas, by ids, or one per type they read whole tools, and a
 * page is shortened until it fits a response.
 * Callers: `functions/tools`, workspace documents, and checks of agents and flows; runs read tools through `toolsPort`
 * or `readTools`.
 */
import * as z from 'zod';
import type { StoredTool } from '../../adapters/ports/tools-port.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { decode, type StoredOf } from '../../platform/data/entity.ts';
import { findNewestRow, type ListedItem } from '../../platform/data/lists/listing.ts';
import { type CursorPagination, CursorQuery, cursorPage, onePage } from '../../platform/data/lists/pages.ts';
import { Flag } from '../../platform/data/lists/query-values.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { createSecretUseWrites } from '../flows/secret-keys.ts';
import { assertConnections, listToolConnections } from '../mcp-connections/named-connections.ts';
import { secretKeysOfTool } from './secret-keys.ts';
import { type Tool, toolEntity, toolsPartition, toolTypePartition } from './tool.ts';
import { toolTypeNames } from './tool-types/index.ts';

export type NewTool = Pick<Tool, 'name' | 'description' | 'toolType' | 'parametersSchema' | 'config'>;
export type ToolChanges = {
  [Member in 'name' | 'description' | 'parametersSchema' | 'config' | 'isActive']?: Tool[Member] | undefined;
};

export const toolStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table, now, newId } = scope;
  const getMany = (ids: readonly string[]) => readTools(scope, ids);

  return {
    getMany,
    list: toolLister(table, getMany),

    async get(id: string): Promise<Tool> {
      return table.find(toolEntity, { id });
    },

    async create(owner: Pick<Tool, 'userId' | 'organizationId'>, input: NewTool): Promise<Tool> {
      await assertConnections(table, listToolConnections(input.config));
      const id = newId('tool');
      const at = getIdCreatedAt(id);
      const tool: Tool = {
        ...owner,
        ...input,
        id,
        search: input.name.toLowerCase(),
        secretKeys: secretKeysOfTool(input),
        isActive: true,
        revision: 1,
        createdAt: at,
        updatedAt: at,
      };
      await table.commit([
        table.writes.insert(toolEntity, toItem(tool)),
        ...createSecretUseWrites(table, id, {}, tool),
      ]);
      return tool;
    },

    /** Changes what is given. @param check Receives the tool as it would be, and may throw. */
    async update(
      id: string,
      changes: ToolChanges,
      check: (after: Tool) => Promise<void> | void,
    ): Promise<Tool> {
      const at = now().toISOString();
      const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      return table.change(toolEntity, { id }, async (before) => {
        const merged: Tool = { ...before, ...defined, updatedAt: at };
        const after = {
          ...merged,
          search: merged.name.toLowerCase(),
          secretKeys: secretKeysOfTool(merged),
        };
        await check(after);
        await assertConnections(table, listToolConnections(after.config), listToolConnections(before.config));
        return { put: toItem(after), alsoWrite: createSecretUseWrites(table, id, before, after) };
      });
    },

    async remove(id: string): Promise<void> {
      const decideRemoval = (tool: Tool) => ({
        remove: true as const,
        alsoWrite: [tombstoneWrite(scope, id), ...createSecretUseWrites(table, id, tool, {})],
      });
      await table.change(toolEntity, { id }, decideRemoval);
    },
  };
});

/** The tools of these ids, in their order; without those that do not exist. */
export async function readTools({ table }: Pick<Scope, 'table'>, ids: readonly string[]): Promise<Tool[]> {
  if (ids.length === 0) return [];
  const items = await table.getMany(ids.map((id) => toolEntity.key({ id })));
  return items.flatMap((item) => (item ? [decode(toolEntity, item)] : []));
}

export const toolsPort = /* @__PURE__ */ using(['table:read'], (scope: Scope) => ({
  find: async (ids: readonly string[]): Promise<ReadonlyMap<string, StoredTool>> =>
    new Map((await readTools(scope, ids)).map((tool) => [tool.id, tool])),
}));

const toItem = ({ parametersSchema, config, ...tool }: Tool): StoredOf<typeof toolEntity> => ({
  ...tool,
  parametersSchema: JSON.stringify(parametersSchema),
  config: JSON.stringify(config),
});

const idsMax = 100;

export const ToolListQuery = CursorQuery.extend({
  tool_type: z.enum(toolTypeNames).optional(),
  search: z.string().max(100).optional().meta({ description: 'A part of the name, case-insensitively' }),
  isActive: Flag.optional(),
  ids: z
    .string()
    .max(4_000)
    .transform((text) => [...new Set(text.split(',').map((id) => id.trim()))].filter(Boolean))
    .refine((ids) => ids.length <= idsMax, `At most ${idsMax} ids`)
    .optional()
    .meta({ description: `Up to ${idsMax} ids, separated by commas: exactly these tools, on one page` }),
  include: z
    .enum(['parametersSchema'])
    .optional()
    .meta({ description: '"parametersSchema" adds the schema of the arguments' }),
  distinct: z
    .enum(['tool_type'])
    .optional()
    .meta({ description: '"tool_type": the newest tool of each type, on one page' }),
});
export type ToolListQuery = z.output<typeof ToolListQuery>;

type ListedTool = Pick<
  Tool,
  'id' | 'name' | 'description' | 'toolType' | 'isActive' | 'createdAt' | 'updatedAt'
> & { parametersSchema?: Tool['parametersSchema'] };

type Page = { tools: ListedTool[]; pagination: CursorPagination };

/** Lists tools newest first. */
function toolLister(table: TenantTable, getMany: (ids: readonly string[]) => Promise<Tool[]>) {
  const toSource = (query: ToolListQuery, toolType = query.tool_type) => {
    const filter = toFilter(query);
    return {
      ...(toolType === undefined
        ? ({ partition: toolsPartition, index: 1 } as const)
        : ({ partition: toolTypePartition(toolType), index: 2 } as const)),
      ...(filter && { filter }),
    };
  };

  async function readNewestOfTypes(query: ToolListQuery): Promise<ListedItem[]> {
    const types = query.tool_type ? [query.tool_type] : toolTypeNames;
    const found = await Promise.all(types.map((type) => findNewestRow(table, toSource(query, type))));
    const rows = found.flatMap(({ row }): ListedItem[] => (row ? [row] : []));
    return rows.sort((one, other) => (String(one.id) < String(other.id) ? 1 : -1));
  }

  const listByIds = async (query: ToolListQuery): Promise<ListedItem[]> =>
    (await getMany(query.ids ?? [])).filter(createMatcher(query));

  async function toListed(rows: ListedItem[], { include }: ToolListQuery): Promise<ListedTool[]> {
    const tools = rows as unknown as ListedTool[];
    if (!include) return tools.map(({ parametersSchema: _schema, ...tool }) => tool);
    const whole = await getMany(rows.map(({ id }) => id as string));
    const schemas = new Map(whole.map(({ id, parametersSchema }) => [id, parametersSchema]));
    return tools.map((tool) => ({ ...tool, parametersSchema: schemas.get(tool.id) ?? {} }));
  }

  return async function list(query: ToolListQuery): Promise<Page> {
    if (query.ids || query.distinct) {
      const rows = query.ids ? await listByIds(query) : await readNewestOfTypes(query);
      const tools = takeWithinBytes(await toListed(rows, query), responseBytesMax);
      return { tools, pagination: onePage(tools.length, query) };
    }
    const { rows, pagination } = await cursorPage(table, { ...toSource(query), kind: 'tool' }, query);
    const tools = await toListed(rows, query);
    const fitting = takeWithinBytes(tools, responseBytesMax).length;
    if (fitting === tools.length) return { tools, pagination };
    const shorter = await list({ ...query, limit: fitting });
    return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
  };
}

function toFilter({ search, isActive }: ToolListQuery) {
  const parts = [
    ...(search ? ['contains(#summary.#search, :search)'] : []),
    ...(isActive ? ['#summary.#isActive = :isActive'] : []),
  ];
  if (parts.length === 0) return undefined;
  const values = {
    ...(search && { search: search.toLowerCase() }),
    ...(isActive && { isActive: isActive === 'true' }),
  };
  return { expression: parts.join(' AND '), values };
}

const createMatcher =
  ({ search, isActive, tool_type }: ToolListQuery) =>
  (tool: Tool) =>
    (!search || tool.search.includes(search.toLowerCase())) &&
    (!isActive || tool.isActive === (isActive === 'true')) &&
    (!tool_type || tool.toolType === tool_type);
