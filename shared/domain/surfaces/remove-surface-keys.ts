import {
  SurfaceKey,
  surfaceCredentialEntity,
  surfaceKeyEntity,
  surfaceKeysPartition,
} from '../../platform/auth/surface-key.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { testKeyValueEntity } from '../api-keys/key-values.ts';

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
