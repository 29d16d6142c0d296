import { notFound } from '../../core/errors/errors.ts';
import { decode } from '../../platform/data/entity.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { type Product, productEntity } from '../products/product.ts';
import { type Surface, surfaceEntity } from './surface/surface.ts';

export interface SurfaceWithCapabilities {
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
