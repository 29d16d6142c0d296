import type { SurfaceKey } from '../../platform/auth/surface-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEntity } from '../agents/config/agent.ts';
import type { Skill } from '../agents/config/external-config.ts';
import type { ProductCapability } from '../products/product.ts';
import { surfaceWithCapabilities } from './exposed-item.ts';
import type { Surface, SurfaceItem } from './surface/surface.ts';
import { readSurfaceKeys } from './surface-keys.ts';

/** Of all items together, so that a surface fits a response. */
const exposedBytesMax = 2_000_000;

/** What an item exposes. Members that do not fit a response are null. */
interface Exposed {
  capability: ProductCapability | undefined;
  agentType: string | null;
  /** Of an external agent, by its agent card. */
  cachedSkills: Pick<Skill, 'id' | 'name'>[] | null;
}

export interface SurfaceDetails {
  surface: Surface;
  items: { item: SurfaceItem; exposed: Exposed }[];
  keys: SurfaceKey[];
}

/** A surface with its keys, and with what its items expose. @throws 404 */
export const surfaceDetails = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (productId: string, id: string): Promise<SurfaceDetails> => {
      const [{ surface, capabilities }, keys] = await Promise.all([
        surfaceWithCapabilities(table, productId, id),
        readSurfaceKeys(table, id),
      ]);
      const findItemCapability = ({ capabilityId }: SurfaceItem) =>
        capabilities.find((each) => each.id === capabilityId);
      const agentIds = surface.items.flatMap((item) => findItemCapability(item)?.agentId ?? []);
      const agents = decodeReadable(
        agentEntity,
        await table.getMany(agentIds.map((agentId) => agentEntity.key({ id: agentId }))),
      );
      let bytes = 0;
      const items = surface.items.map((item) => {
        const capability = findItemCapability(item);
        const agent = agents.find((each) => each.id === capability?.agentId);
        const skills = agent?.externalConfig?.cachedAgentCard?.skills;
        const cachedSkills = skills?.map(({ id: skillId, name }) => ({ id: skillId, name })) ?? null;
        bytes += JSON.stringify([capability?.parametersSchema, cachedSkills]).length;
        const fits = bytes <= exposedBytesMax;
        const exposed = {
          capability: capability && (fits ? capability : { ...capability, parametersSchema: null }),
          agentType: agent?.agentType ?? null,
          cachedSkills: fits ? cachedSkills : null,
        };
        return { item, exposed };
      });
      return { surface, items, keys };
    },
);
