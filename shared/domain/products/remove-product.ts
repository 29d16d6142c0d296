import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { productStore } from './product-store.ts';
import { surfaceStore } from './surface-store.ts';

/** Deletes a product with its surfaces at once, and what belongs to them in the background. @throws 404 */
export const productRemover = /* @__PURE__ */ using(
  [productStore, cleanupQueue],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      const { surfaceIds } = await productStore(scope).remove(id);
      await cleanupQueue(scope).deleted(surfaceIds);
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
