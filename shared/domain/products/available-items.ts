import { boundedMap } from '../../core/cache.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEntity } from '../agents/agent.ts';
import { flowEntity } from '../flows/flow.ts';
import type { ExposedItem } from './exposed-item.ts';

const lookEveryMs = 60_000;

/** When each flow and agent was last seen to exist. */
const seenAt = boundedMap<number>({ entriesMax: 20_000 });

/**
 * Those of the items whose flow or agent exists, for lists. A process looks for each once a minute, so a deleted one
 * leaves the lists within that time.
 */
export const availableItems = /* @__PURE__ */ using(
  ['table:read'],
  ({ table, now }: Scope) =>
    async (items: readonly ExposedItem[]): Promise<ExposedItem[]> => {
      const at = now().getTime();
      const nameOf = ({ capability: { agentId, flowId } }: ExposedItem) =>
        `${table.tenant} ${agentId ?? flowId}`;
      const isFresh = (item: ExposedItem) => at - (seenAt.get(nameOf(item)) ?? 0) < lookEveryMs;
      const unseen = items.filter((item) => !isFresh(item));
      const found = unseen.length === 0 ? [] : await table.getMany(unseen.map(keyOf));
      for (const [index, item] of unseen.entries()) if (found[index]) seenAt.set(nameOf(item), at);
      return items.filter((item) => isFresh(item));
    },
);

const keyOf = ({ capability: { agentId, flowId } }: ExposedItem) =>
  agentId === null ? flowEntity.key({ id: flowId ?? '' }) : agentEntity.key({ id: agentId });
