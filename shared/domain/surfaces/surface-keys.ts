import { conflict, forbidden, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { deriveKeyFields, generateKey } from '../../platform/auth/key-format.ts';
import {
  SurfaceKey,
  surfaceCredentialEntity,
  surfaceKeyEntity,
  surfaceKeysPartition,
  toSurfaceCredential,
  unusedSurfaceKey,
} from '../../platform/auth/surface-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { createKeyValueRemoval, keyValues } from '../api-keys/key-values.ts';
import { surfaceEntity } from './surface/surface.ts';
import { surfaceStore } from './surface-store.ts';

const keysMax = 50;

export type NewSurfaceKey = Pick<SurfaceKey, 'name' | 'environment' | 'scopes' | 'expiresAt'> & {
  perMinute?: number | undefined;
  perDay?: number | undefined;
};

interface Place {
  productId: string;
  surfaceId: string;
}

/** Newest first. */
export async function readSurfaceKeys(table: TenantTable, surfaceId: string): Promise<SurfaceKey[]> {
  const range = { partition: surfaceKeysPartition(surfaceId), newestFirst: true, consistent: true };
  return (await table.queryAll(range)).map((item) => SurfaceKey.parse(item));
}

/** Keys that can call the items of one surface, and nothing else. */
export const surfaceKeys = /* @__PURE__ */ using(
  ['table:write', 'table:delete', surfaceStore, keyValues],
  (scope: Scope) => {
    const { table, newId } = scope;
    const values = keyValues(scope);

    async function commit(by: Principal, event: AuditEvent, writes: readonly Write[]): Promise<void> {
      const { write, log } = audit(scope, by, event);
      await table.commit([...writes, write]);
      log();
    }

    async function get({ productId, surfaceId }: Place, id: string): Promise<SurfaceKey> {
      const key = await table.get(surfaceKeyEntity, { surfaceId, id }, { consistent: true });
      if (key?.productId !== productId) throw notFound('Surface key');
      return key;
    }

    const createRemoval = ({ surfaceId, id, hash }: SurfaceKey): Write[] => [
      table.writes.remove(surfaceKeyEntity, { surfaceId, id }),
      table.writes.remove(surfaceCredentialEntity, { hash }),
      createKeyValueRemoval(scope, id),
    ];

    return {
      /** Newest first. @throws 404 if there is no such surface. */
      async list({ productId, surfaceId }: Place): Promise<SurfaceKey[]> {
        const [keys] = await Promise.all([
          readSurfaceKeys(table, surfaceId),
          surfaceStore(scope).find(productId, surfaceId),
        ]);
        return keys;
      },

      /** @returns the key with its value, which only the value of a test key is kept of. @throws 404, 409 */
      async create(
        by: Principal,
        { productId, surfaceId }: Place,
        { perMinute, perDay, ...fields }: NewSurfaceKey,
      ): Promise<{ key: SurfaceKey; value: string }> {
        const { userId, organizationId } = by;
        if ((await table.count({ partition: surfaceKeysPartition(surfaceId) })) >= keysMax)
          throw createTooManyError();
        const value = generateKey(`surface-${fields.environment}`);
        const id = newId('surfkey');
        const key: SurfaceKey = {
          id,
          productId,
          surfaceId,
          userId,
          organizationId,
          ...fields,
          ...deriveKeyFields(value),
          ...(perMinute !== undefined && { perMinute }),
          ...(perDay !== undefined && { perDay }),
          isActive: true,
          createdAt: getIdCreatedAt(id),
          ...unusedSurfaceKey,
        };
        const { name, environment, scopes, expiresAt } = fields;
        const details = { productId, surfaceId, name, environment, scopes, expiresAt };
        const writes = [
          table.writes.check(surfaceEntity, { productId, id: surfaceId }, exists),
          table.writes.insert(surfaceKeyEntity, key),
          table.writes.insert(surfaceCredentialEntity, toSurfaceCredential(key)),
          ...(environment === 'test' ? [await values.createWrite(key.id, value)] : []),
        ];
        await commit(by, { action: 'surface-key.created', targetId: key.id, details }, writes).catch(
          (error) => {
            throw error instanceof ConditionFailed ? notFound('Surface') : error;
          },
        );
        return { key, value };
      },

      /** It stops working at once. @throws 404 */
      async remove(by: Principal, place: Place, id: string): Promise<void> {
        const key = await get(place, id);
        const details = { ...place };
        await commit(by, { action: 'surface-key.deleted', targetId: id, details }, createRemoval(key));
      },

      /** The value of a test key. @throws 403 for a live key, 404, 409 */
      async reveal(by: Principal, place: Place, id: string): Promise<{ key: SurfaceKey; value: string }> {
        const key = await get(place, id);
        if (key.environment !== 'test') {
          throw forbidden('Only test keys can be revealed. Create another key to get a new value');
        }
        const value = await values.read(id);
        if (value === undefined) throw conflict('The value of the key is gone. Create another key');
        await commit(by, { action: 'surface-key.revealed', targetId: id, details: { ...place } }, []);
        return { key, value };
      },
    };
  },
);

const createTooManyError = () =>
  conflict({ code: 'LIMIT_REACHED', message: `A surface has at most ${keysMax} keys. Delete unused ones` });
