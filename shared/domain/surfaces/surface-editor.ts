/**
 * Creates and changes surfaces: merges, checks, stores the plaintexts of secrets, then writes.
 *
 * Plaintexts are taken out of a request once, before anything is decided, and stored before the write that names them; those
 * of a surface that was not created are deleted. The product lists its surfaces by name, so a creation or a renaming writes
 * both items in one transaction, with the secrets that the surface uses and the item by which signed requests find the tenant.
 */

import { invalidAt, ServiceError, unprocessable } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { createSecretUseWrites } from '../flows/secret-keys.ts';
import { productEntity } from '../products/product.ts';
import { productStore } from '../products/product-store.ts';
import { cardKeys } from './card-keys.ts';
import { surfaceSecretRemover } from './remove-surface-secrets.ts';
import { listUsedSecretKeys } from './secrets/surface-secret-uses.ts';
import { surfaceSecretWriter } from './secrets/surface-secret-writer.ts';
import { surfaceSignerEntity } from './secrets/surface-signer.ts';
import { type Surface, surfaceEntity } from './surface/surface.ts';
import { extractSecrets, listPlaintextIds, type SealedMembers } from './surface/surface-secret-places.ts';
import {
  assertConnected,
  createTooManySurfaces,
  mergeSurface,
  type NewSurface,
  type SurfaceChanges,
  surfacesMax,
  toFittingItem,
} from './surface-changes.ts';
import { surfaceStore } from './surface-store.ts';

export interface EditedSurface {
  surface: Surface;
  /** The secret that was generated for its outgoing webhook. */
  newSecret: string | undefined;
}

export const surfaceEditor = /* @__PURE__ */ using(
  [
    'table:write',
    'table:delete',
    productStore,
    surfaceStore,
    surfaceSecretWriter,
    surfaceSecretRemover,
    cardKeys,
  ],
  (scope: Scope) => {
    const { table, newId } = scope;
    const products = productStore(scope);
    const surfaces = surfaceStore(scope);
    const storing = surfaceSecretWriter(scope);
    const checkCard = async (after: Surface, { behavior }: SurfaceChanges) =>
      behavior?.cardSigning && (await cardKeys(scope).check(after));

    async function createRenameWrites({ productId, id, name }: Surface): Promise<Write[]> {
      const product = await products.find(productId);
      const renamed = product.surfaces.map((each) => (each.id === id ? { ...each, name } : each));
      const changes = { set: { surfaces: renamed }, add: { revision: 1 } };
      return [table.writes.update(productEntity, { id: productId }, changes, isUnchanged(product))];
    }

    function createEmpty(productId: string, { name, type }: NewSurface): Surface {
      const id = newId('surface');
      const at = getIdCreatedAt(id);
      const made = { id, productId, revision: 1, createdAt: at, updatedAt: at };
      const empty = { behavior: {}, inbound: {}, outbound: {}, valueId: null, items: [] };
      return { ...made, ...empty, environment: 'development', status: 'draft', name, type };
    }

    async function insert(surface: Surface): Promise<void> {
      const { id, name, type, productId } = surface;
      await products.change(productId, async (before) => {
        if (before.surfaces.length >= surfacesMax) throw createTooManySurfaces();
        const alsoWrite = [
          table.writes.insert(surfaceEntity, toFittingItem(surface)),
          ...createUsesWrites(undefined, surface),
          ...createSignerWrites(undefined, surface),
        ];
        return { after: { ...before, surfaces: [...before.surfaces, { id, name, type }] }, alsoWrite };
      });
    }

    const createUsesWrites = (before: Surface | undefined, after: Surface) =>
      createSecretUseWrites(table, after.id, before ? { secretKeys: listUsedSecretKeys(before) } : {}, {
        secretKeys: listUsedSecretKeys(after),
      });

    /** The write by which requests without a credential find the tenant: signed ones, and those for an agent card. */
    const createSignerWrites = (before: Surface | undefined, { id, inbound, type }: Surface): Write[] =>
      // Surfaces of the type a2a that an older release made have none.
      type === 'a2a' || (inbound.signature && !before?.inbound.signature)
        ? [table.writes.put(surfaceSignerEntity, { surfaceId: id, tenant: table.tenant })]
        : [];

    return {
      /** @throws 400, 404; 409 if the product or the tenant has as many as it can have. */
      async create(productId: string, input: NewSurface): Promise<EditedSurface> {
        if (input.status === 'active') {
          assertConnected(input, (message) => invalidAt('status', 'CHANNEL_NOT_CONNECTED', message));
        }
        const members = extractSecrets(input, newId);
        const before = createEmpty(productId, input);
        const after = mergeSurface(before, input, members);
        toFittingItem(after);
        await checkCard(after, input);
        // Before a secret is made for it.
        if (listPlaintextIds(after).length > 0) await products.find(productId);
        try {
          const valueId = await storing(members.plaintexts)(before, after);
          const surface = { ...after, valueId };
          await insert(surface);
          return toEdited(surface, members);
        } catch (error) {
          // After an error of the table the transaction may have succeeded.
          if (error instanceof ServiceError && listPlaintextIds(after).length > 0) await discard(after.id);
          throw error;
        }
      },

      /** @throws 400, 404; 409; 422 if a surface whose channel is not connected would become active. */
      async update(productId: string, id: string, changes: SurfaceChanges): Promise<EditedSurface> {
        const members = extractSecrets(changes, newId);
        const valueIdOf = storing(members.plaintexts);
        const surface = await surfaces.change(productId, id, async (before) => {
          if (changes.status === 'active') {
            const code = 'CHANNEL_NOT_CONNECTED';
            assertConnected(before, (message) => unprocessable({ path: 'status', code, message }));
          }
          const after = mergeSurface(before, changes, members);
          toFittingItem(after);
          await checkCard(after, changes);
          const valueId = await valueIdOf(before, after);
          const alsoWrite = [
            ...(after.name === before.name ? [] : await createRenameWrites(after)),
            ...createUsesWrites(before, after),
            ...createSignerWrites(before, after),
          ];
          return { after: { ...after, valueId }, alsoWrite };
        });
        return toEdited(surface, members);
      },
    };

    /** Deletes plaintexts that no surface names, which would otherwise cost money. */
    async function discard(surfaceId: string): Promise<void> {
      await surfaceSecretRemover(scope)(surfaceId).catch((error) => {
        log.warn('The secrets of a surface that was not created could not be deleted', { surfaceId, error });
      });
    }
  },
);

function toEdited(surface: Surface, { plaintexts, generatedId }: SealedMembers): EditedSurface {
  const isNew = listPlaintextIds(surface).includes(generatedId);
  return { surface, newSecret: isNew ? plaintexts.get(generatedId) : undefined };
}
