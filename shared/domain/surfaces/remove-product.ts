import { ifMissing } from '../../core/errors/errors.ts';
import {
  SurfaceKey,
  surfaceCredentialEntity,
  surfaceKeyEntity,
  surfaceKeysPartition,
} from '../../platform/auth/surface-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { apiKeyStore } from '../api-keys/api-key-store.ts';
import { createKeyValueRemoval, testKeyValueEntity } from '../api-keys/key-values.ts';
import { type Product, productEntity } from '../products/product.ts';
import { secretUseEntity } from '../secrets/secret.ts';
import { listUsedSecretKeys } from './secrets/surface-secret-uses.ts';
import { surfaceEntity } from './surface/surface.ts';
import { surfaceStore } from './surface-store.ts';

/** The key first: what cannot be called does nothing. A clean-up removes what belongs to the surfaces. @throws 404 */
export const productRemover = /* @__PURE__ */ using(
  ['table:write', 'table:delete', surfaceStore, apiKeyStore, cleanupQueue],
  (scope: Scope) => {
    const apiKeys = apiKeyStore(scope);
    return async (by: Principal, id: string): Promise<void> => {
      const { product, surfaces } = await surfaceStore(scope).whole(id);
      const { testKeyId } = product;
      const key = testKeyId && (await apiKeys.get(testKeyId).catch(ifMissing(undefined)));
      if (key) await apiKeys.remove(by, key, [createKeyValueRemoval(scope, key.id)]);
      const surfaceIds = await remove(scope, id);
      await cleanupQueue(scope).enqueue(surfaceIds);
      // Not in the transaction, which may have only 100 writes.
      await scope.table.removeAll(
        surfaces.flatMap((surface) =>
          listUsedSecretKeys(surface).map((secretKey) =>
            secretUseEntity.key({ key: secretKey, by: surface.id }),
          ),
        ),
      );
    };
  },
);

/** The product and its surfaces, which are unreachable at once. @returns their ids. */
async function remove(scope: Scope, id: string): Promise<string[]> {
  const { table } = scope;
  const decideRemoval = ({ surfaces }: Product): Modification<typeof productEntity> => ({
    remove: true,
    alsoWrite: surfaces.flatMap((surface) => [
      table.writes.remove(surfaceEntity, { productId: id, id: surface.id }),
      tombstoneWrite(scope, surface.id),
    ]),
  });
  const removed = await table.change(productEntity, { id }, decideRemoval);
  return removed.surfaces.map((surface) => surface.id);
}

/** Deletes a surface at once, and what belongs to it in the background. @throws 404 */
export const surfaceRemover = /* @__PURE__ */ using(
  [surfaceStore, cleanupQueue],
  (scope: Scope) =>
    async (productId: string, id: string): Promise<void> => {
      await surfaceStore(scope).remove(productId, id);
      await cleanupQueue(scope).enqueue([id]);
    },
);

export const surfaceKeyRemover = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table }: Scope) =>
    async (surfaceId: string): Promise<void> => {
      for (const item of await table.queryAll({ partition: surfaceKeysPartition(surfaceId) })) {
        const { id, hash } = SurfaceKey.parse(item);
        await table.commit([
          table.writes.remove(surfaceKeyEntity, { surfaceId, id }),
          table.writes.remove(surfaceCredentialEntity, { hash }),
          table.writes.remove(testKeyValueEntity, { id }),
        ]);
      }
    },
);
