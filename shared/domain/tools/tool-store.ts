import type { StoredTool } from '../../adapters/ports/tools-port.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { decode, type StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { createSecretUseWrites } from '../flows/secret-keys.ts';
import { assertConnections, listToolConnections } from '../mcp-connections/named-connections.ts';
import { secretKeysOfTool } from './check-tool.ts';
import { toolLister } from './list-tools.ts';
import { type Tool, toolEntity } from './tool.ts';

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
