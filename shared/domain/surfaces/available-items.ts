import { createBoundedMap } from '../../core/cache.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { flowEntity } from '../flows/flow.ts';
import type { ExposedItem } from './exposed-item.ts';

const lookEveryMs = 60_000;

/** When each flow and agent was last seen to exist, and what it says of itself. */
const descriptions = createBoundedMap<{ at: number; description: string | null }>({ entriesMax: 20_000 });

/** Without items whose target is deleted. A process looks once a minute, so a deleted one leaves the lists within that time. */
export const availableItems = /* @__PURE__ */ using(
  ['table:read'],
  ({ table, now }: Scope) =>
    async (items: readonly ExposedItem[]): Promise<ExposedItem[]> => {
      const at = now().getTime();
      const nameItem = ({ capability: { agentId, flowId } }: ExposedItem) =>
        `${table.tenant} ${agentId ?? flowId}`;
      const findFresh = (item: ExposedItem) => {
        const recent = descriptions.get(nameItem(item));
        return recent && at - recent.at < lookEveryMs ? recent : undefined;
      };
      const unseen = items.filter((item) => !findFresh(item));
      const found = unseen.length === 0 ? [] : await table.getMany(unseen.map(toKey));
      for (const [index, item] of unseen.entries()) {
        const target = found[index];
        if (target) descriptions.set(nameItem(item), { at, description: readDescription(target, item) });
      }
      return items.flatMap((item) => {
        const target = findFresh(item);
        return target ? [addDescription(item, target)] : [];
      });
    },
);

/** What cannot be read still exists. */
function readDescription(target: Record<string, unknown>, { capability }: ExposedItem): string | null {
  const entity = capability.agentId === null ? flowEntity : agentEntity;
  return decodeReadable<typeof flowEntity | typeof agentEntity>(entity, [target])[0]?.description ?? null;
}

const addDescription = (item: ExposedItem, { description }: { description: string | null }): ExposedItem => ({
  ...item,
  capability: {
    ...item.capability,
    capabilityDescription: item.capability.capabilityDescription || description,
  },
});

const toKey = ({ capability: { agentId, flowId } }: ExposedItem) =>
  agentId === null ? flowEntity.key({ id: flowId ?? '' }) : agentEntity.key({ id: agentId });
