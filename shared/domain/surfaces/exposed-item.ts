/**
 * What a surface exposes to a caller: its items with their capabilities, without what is disabled, deleted or not
 * permitted.
 * Endpoints of a surface go through these in order: `findSurface` (one read), `assertOpen` (the key's surface and
 * product, status), `findSlugItem` or `availableItems`, and `assertMayRun` or `runnableItems`. A disabled item counts
 * as missing.
 * Whether the flow or agent of an item still exists is looked up once a minute for each process, so a deleted one
 * leaves the lists within that time; running it fails at once.
 * Callers: the endpoints of surfaces of all types, and `protocols/a2a`, `protocols/mcp`, `protocols/surface`.
 */
import { createBoundedMap } from '../../core/cache.ts';
import { forbidden, missingPermission, notFound, ServiceError } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode, decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { flowEntity } from '../flows/flow.ts';
import { type Product, type ProductCapability, productEntity } from '../products/product.ts';
import { type Surface, type SurfaceItem, surfaceEntity } from './surface/surface.ts';

export interface ExposedItem {
  surface: Surface;
  item: SurfaceItem;
  capability: ProductCapability;
}

export interface ExposedSurface {
  surface: Surface;
  exposed: ExposedItem[];
  product: SurfaceWithCapabilities['product'];
  owner: SurfaceWithCapabilities['owner'];
}

/** Finds what a surface exposes, in one request. Disabled items and capabilities count as missing. */
export const exposedItems = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  /** @throws 404 */
  async findSurface(productId: string, surfaceId: string): Promise<ExposedSurface> {
    const { surface, capabilities, product, owner } = await surfaceWithCapabilities(
      table,
      productId,
      surfaceId,
    );
    const exposed = surface.items.flatMap((item) => {
      const capability = capabilities.find(({ id }) => id === item.capabilityId);
      return item.enabled && capability?.enabled ? [{ surface, item, capability }] : [];
    });
    return { surface, exposed, product, owner };
  },
}));

/** @throws 404 if the surface is of another type, or no item has the slug. */
export function findSlugItem(
  { surface, exposed }: ExposedSurface,
  type: Surface['type'],
  slug: string,
): ExposedItem {
  const found = exposed.find(({ item }) => item.endpointSlug === slug);
  if (!found || surface.type !== type) throw notFound('Endpoint');
  return found;
}

interface SurfaceWithCapabilities {
  surface: Surface;
  capabilities: Product['capabilities'];
  product: Pick<Product, 'id' | 'name' | 'description'>;
  owner: Pick<Product, 'userId' | 'organizationId'>;
}

/** In one request. @throws 404 */
export async function surfaceWithCapabilities(
  table: TenantTable,
  productId: string,
  id: string,
): Promise<SurfaceWithCapabilities> {
  const keys = [productEntity.key({ id: productId }), surfaceEntity.key({ productId, id })];
  const [product, surface] = await table.getMany(keys);
  if (!product || !surface) throw notFound('Surface');
  const { capabilities, userId, organizationId, name, description } = decode(productEntity, product);
  return {
    surface: decode(surfaceEntity, surface),
    capabilities,
    product: { id: productId, name, description },
    owner: { userId, organizationId },
  };
}

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

/** Who calls a surface. Senders of signed requests have no principal. */
type Caller = Pick<Principal, 'environment'> & Partial<Principal>;

/** @throws 403 for a key of another surface or product. */
export function assertBelongs({ id, productId }: Surface, caller: Caller): void {
  if (caller.kind === 'surface' && caller.surfaceId !== id) {
    throw forbidden('The key belongs to another surface');
  }
  if (caller.productId !== undefined && caller.productId !== productId) {
    throw forbidden('The key belongs to another product');
  }
}

/** @throws 403 if the surface does not respond to the caller. */
export function assertOpen(surface: Surface, caller: Caller): void {
  assertBelongs(surface, caller);
  if (surface.status === 'paused') throw forbidden('The surface is paused; set its status to active');
  if (surface.status === 'draft' && caller.environment !== 'test') {
    throw forbidden('The surface is a draft, which responds to test keys only; set its status to active');
  }
}

/** The items that the caller may run. @throws 403 if there are items, but none for this caller. */
export function runnableItems(items: readonly ExposedItem[], principal: Principal): ExposedItem[] {
  const allowed = items.filter((each) => mayRun(each, principal));
  if (items.length > 0 && allowed.length === 0) throw missingPermission('PRODUCTS:EXECUTE');
  return allowed;
}

export function mayRun(exposed: ExposedItem, principal: Principal): boolean {
  try {
    assertMayRun(exposed, principal);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** @throws 403 if the caller may not run the item. */
export function assertMayRun({ item, capability }: ExposedItem, principal: Principal): void {
  const { kind, permissions } = principal;
  if (kind === 'surface') {
    const isInScope = permissions.length === 0 || permissions.includes(item.endpointSlug ?? '');
    if (!isInScope) throw forbidden('The key cannot call this endpoint: its scopes name others');
    return;
  }
  const required = capability.flowId ? 'FLOWS:EXECUTE' : 'AGENTS:EXECUTE';
  if (![required, 'PRODUCTS:EXECUTE'].some((needed) => covers(permissions, needed))) {
    throw missingPermission('PRODUCTS:EXECUTE');
  }
}
