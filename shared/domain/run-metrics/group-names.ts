import { apiKeyEntity } from '../../platform/auth/api-key.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Key } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { flowEntity } from '../flows/flow.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { findBuiltinTool } from '../tools/builtin/index.ts';
import { toolEntity } from '../tools/tool.ts';
import type { Grouping, MetricsGroup } from './metrics-report.ts';

const builtinPrefix = 'builtin:';

type UnnamedGroup = Pick<MetricsGroup, 'key' | 'productId' | 'lastName'>;

/** Where the item of a group is, if it has one. */
const itemOf: Partial<Record<Grouping, (id: string, group: UnnamedGroup) => Key | undefined>> = {
  flow: (id) => flowEntity.key({ id }),
  agent: (id) => agentEntity.key({ id }),
  tool: (id) => (id.startsWith(builtinPrefix) ? undefined : toolEntity.key({ id })),
  surface: (id, { productId }) => (productId ? surfaceEntity.key({ productId, id }) : undefined),
  apiKey: (id) => apiKeyEntity.key({ id }),
};

/** What names take beside the READ of the kinds of runs. Every credential may list API keys. */
const needed: Partial<Record<Grouping, Permission>> = { surface: 'PRODUCTS:READ' };

/** The present names of what groups are about, in one request for a hundred. What was deleted has the name of its last run. */
export const groupNames = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (
      groups: readonly UnnamedGroup[],
      groupBy: Grouping | undefined,
      held: readonly string[],
    ): Promise<(string | null)[]> => {
      const permission = groupBy && needed[groupBy];
      if (permission && !covers(held, permission)) return groups.map(() => null);
      const find = groupBy && itemOf[groupBy];
      if (!find) return groups.map(({ key }) => key);
      const keys = groups.map((group) => (group.key === null ? undefined : find(group.key, group)));
      const wanted = keys.filter((key) => key !== undefined);
      const items = wanted.length === 0 ? [] : await table.getMany(wanted);
      return groups.map(({ key, lastName }, index) => {
        if (key === null) return null;
        const itemKey = keys[index];
        const stored = itemKey && readName(items[wanted.indexOf(itemKey)]);
        return stored ?? findBuiltinName(key) ?? lastName ?? null;
      });
    },
);

function readName(item: Record<string, unknown> | undefined): string | undefined {
  const name = (item?.summary as { name?: unknown } | undefined)?.name ?? item?.name;
  return typeof name === 'string' ? name : undefined;
}

const findBuiltinName = (id: string) =>
  id.startsWith(builtinPrefix) ? findBuiltinTool(id.slice(builtinPrefix.length))?.name : undefined;
