import { notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { ProductCapability } from '../products/product.ts';
import type { Surface, SurfaceItem } from './surface/surface.ts';
import { type SurfaceWithCapabilities, surfaceWithCapabilities } from './surface-with-capabilities.ts';

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
