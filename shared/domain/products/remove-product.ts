import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { secretUseEntity } from '../secrets/secret.ts';
import { productStore } from './product-store.ts';
import { secretKeysOf } from './surface-secret-places.ts';
import { surfaceStore } from './surface-store.ts';

/** Deletes a product with its surfaces at once, and what belongs to them in the background. @throws 404 */
export const productRemover = /* @__PURE__ */ using(
  ['table:write', productStore, surfaceStore, cleanupQueue],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      const { surfaces } = await surfaceStore(scope).whole(id);
      const { surfaceIds } = await productStore(scope).remove(id);
      await cleanupQueue(scope).deleted(surfaceIds);
      // Not in the transaction, which may have only 100 writes.
      await scope.table.removeAll(
        surfaces.flatMap((surface) =>
          secretKeysOf(surface).map((key) => secretUseEntity.key({ key, by: surface.id })),
        ),
      );
    },
);

/** Deletes a surface at once, and what belongs to it in the background. @throws 404 */
export const surfaceRemover = /* @__PURE__ */ using(
  [surfaceStore, cleanupQueue],
  (scope: Scope) =>
    async (productId: string, id: string): Promise<void> => {
      await surfaceStore(scope).remove(productId, id);
      await cleanupQueue(scope).deleted([id]);
    },
);
