import { notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type ProductCapability, productEntity } from './product.ts';
import { type Surface, type SurfaceItem, surfaceEntity } from './surface.ts';

/** An item of a surface with the capability that it exposes. */
export interface ExposedItem {
  surface: Surface;
  item: SurfaceItem;
  capability: ProductCapability;
}

/** A surface with all that it exposes. */
export interface ExposedSurface {
  surface: Surface;
  exposed: ExposedItem[];
}

/** Finds what a surface exposes, in one request. Disabled items and capabilities count as missing. */
export const exposedItems = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => {
  /** @throws 404 */
  async function ofSurface(productId: string, surfaceId: string): Promise<ExposedSurface> {
    const [product, stored] = await table.getMany([
      productEntity.key({ id: productId }),
      surfaceEntity.key({ productId, id: surfaceId }),
    ]);
    if (!product || !stored) throw notFound('Surface');
    const surface = decode(surfaceEntity, stored);
    const { capabilities } = decode(productEntity, product);
    const exposed = surface.items.flatMap((item) => {
      const capability = capabilities.find(({ id }) => id === item.capabilityId);
      return item.enabled && capability?.enabled ? [{ surface, item, capability }] : [];
    });
    return { surface, exposed };
  }

  return { ofSurface };
});

/** @throws 404 if the surface is of another type, or no item has the slug. */
export function itemOfSlug(
  { surface, exposed }: ExposedSurface,
  type: Surface['type'],
  slug: string,
): ExposedItem {
  const found = exposed.find(({ item }) => item.endpointSlug === slug);
  if (!found || surface.type !== type) throw notFound('Endpoint');
  return found;
}
