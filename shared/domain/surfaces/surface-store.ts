import { notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { createSecretUseWrites } from '../flows/secret-keys.ts';
import { type Product, productEntity, productPartition } from '../products/product.ts';
import { productStore } from '../products/product-store.ts';
import { listUsedSecretKeys } from './secrets/surface-secret-uses.ts';
import { type Surface, surfaceEntity, surfacesPartition } from './surface/surface.ts';
import { toFittingItem } from './surface-changes.ts';

export interface SurfaceFilter {
  type?: string | undefined;
  status?: string | undefined;
  environment?: string | undefined;
}

/** A product with its surfaces, oldest first. */
export interface WholeProduct {
  product: Product;
  surfaces: Surface[];
}

interface SurfaceModification {
  after: Surface;
  alsoWrite?: Write[];
  /** The error if only `alsoWrite` was refused. Without it, that counts as a conflict. */
  alsoWriteRefused?: () => Error;
}

export const surfaceStore = /* @__PURE__ */ using(
  ['table:write', 'table:delete', productStore],
  (scope: Scope) => {
    const { table, now } = scope;
    const products = productStore(scope);

    async function find(productId: string, id: string): Promise<Surface> {
      return table.find(surfaceEntity, { productId, id });
    }

    /** Applies a change to the current surface atomically. @throws 404; 409 after conflicts on every attempt. */
    async function change(
      productId: string,
      id: string,
      decide: (before: Surface) => SurfaceModification | Promise<SurfaceModification>,
    ): Promise<Surface> {
      const updatedAt = now().toISOString();
      const decideWrite = async (before: Surface): Promise<Modification<typeof surfaceEntity>> => {
        const { after, ...others } = await decide(before);
        return { put: toFittingItem({ ...after, updatedAt }), ...others };
      };
      return table.change(surfaceEntity, { productId, id }, decideWrite);
    }

    return {
      find,
      change,

      /** A product with its surfaces, in one request. @throws 404 */
      async whole(productId: string): Promise<WholeProduct> {
        const items = await table.queryAll({ partition: productPartition(productId) });
        const [product] = decodeReadable(
          productEntity,
          items.filter(({ SK }) => SK === 'PRODUCT'),
        );
        if (!product) throw notFound('Product');
        return {
          product,
          surfaces: decodeReadable(
            surfaceEntity,
            items.filter(({ SK }) => SK !== 'PRODUCT'),
          ),
        };
      },

      /** Newest first. @throws 404 if there is no such product. */
      async list(productId: string, query: CursorQuery & SurfaceFilter) {
        const wanted = (['type', 'status', 'environment'] as const).filter(
          (name) => query[name] !== undefined,
        );
        const filter = {
          expression: wanted.map((name) => `#summary.#${name} = :${name}`).join(' AND '),
          values: Object.fromEntries(wanted.map((name) => [name, query[name]])),
        };
        const source = { partition: surfacesPartition(productId), index: 1, kind: 'surface' } as const;
        const [{ rows, pagination }] = await Promise.all([
          cursorPage(table, { ...source, ...(wanted.length > 0 && { filter }) }, query),
          products.find(productId),
        ]);
        const keys = rows.map(({ id }) => surfaceEntity.key({ productId, id: String(id) }));
        const items = await table.getMany(keys);
        return { surfaces: decodeReadable(surfaceEntity, items), pagination };
      },

      /** Unreachable at once; a clean-up of its id removes its keys, schedules and secrets. @throws 404 */
      async remove(productId: string, id: string): Promise<void> {
        const surface = await find(productId, id);
        await products.change(productId, async (before) => {
          const surfaces = before.surfaces.filter((each) => each.id !== id);
          if (surfaces.length === before.surfaces.length) throw notFound('Surface');
          return {
            after: { ...before, surfaces },
            alsoWrite: [
              table.writes.remove(surfaceEntity, { productId, id }, exists),
              tombstoneWrite(scope, id),
              ...createSecretUseWrites(table, id, { secretKeys: listUsedSecretKeys(surface) }, {}),
            ],
          };
        });
      },
    };
  },
);

/** The writes that remove the items of a capability from the surfaces of its product. */
export async function createItemRemovalWrites(
  { table, now }: Scope,
  productId: string,
  { surfaces, id }: { surfaces: readonly { id: string }[]; id: string },
): Promise<Write[]> {
  const keys = surfaces.map((surface) => surfaceEntity.key({ productId, id: surface.id }));
  const current = decodeReadable(surfaceEntity, await table.getMany(keys, { consistent: true }));
  return current.map((surface) => {
    const items = surface.items.filter(({ capabilityId }) => capabilityId !== id);
    // None of them may get such an item meanwhile.
    if (items.length === surface.items.length)
      return table.writes.check(surfaceEntity, surface, isUnchanged(surface));
    const after = { ...surface, items, revision: surface.revision + 1, updatedAt: now().toISOString() };
    return table.writes.put(surfaceEntity, toFittingItem(after), isUnchanged(surface));
  });
}
