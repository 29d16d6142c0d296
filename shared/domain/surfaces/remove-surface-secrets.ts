import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { surfaceSecretRevoker } from '../secrets/secret-vault.ts';
import { surfaceSecretEntity } from './secrets/surface-secret-entity.ts';
import { surfaceSignerEntity } from './secrets/surface-signer.ts';

/** Makes the plaintexts of a surface that was deleted, or was not created, unreadable. Idempotent. */
export const surfaceSecretRemover = /* @__PURE__ */ using(
  ['table:write', 'table:delete', surfaceSecretRevoker],
  (scope: Scope) =>
    async (surfaceId: string): Promise<void> => {
      await surfaceSecretRevoker(scope).revoke(surfaceId);
      const keys = [surfaceSecretEntity.key({ surfaceId }), surfaceSignerEntity.key({ surfaceId })];
      await scope.table.removeAll(keys);
    },
);
