import * as z from 'zod';
import { findNewestRow, type ListedItem } from '../../platform/data/lists/listing.ts';
import { type CursorPagination, CursorQuery, cursorPage, onePage } from '../../platform/data/lists/pages.ts';
import { Flag } from '../../platform/data/lists/query-values.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { type Tool, toolsPartition, toolTypePartition } from './tool.ts';
import { toolTypeNames } from './tool-types/index.ts';

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

export type ListedTool = Pick<
  Tool,
  'id' | 'name' | 'description' | 'toolType' | 'isActive' | 'createdAt' | 'updatedAt'
> & { parametersSchema?: Tool['parametersSchema'] };

type Page = { tools: ListedTool[]; pagination: CursorPagination };

/** Lists tools newest first. */
export function toolLister(table: TenantTable, getMany: (ids: readonly string[]) => Promise<Tool[]>) {
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
