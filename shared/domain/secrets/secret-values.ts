import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { findSecrets } from './find-secrets.ts';
import { type SecretReader, secretReader } from './secret-vault.ts';
import { cachedValues } from './value-cache.ts';

/** Without missing, pending and revoked ones. Reads the table each time: rotations apply at once. @throws in an outage. */
export const secretValues = /* @__PURE__ */ using(
  ['table:read', secretReader],
  (scope: Scope, reader: SecretReader = secretReader(scope)) => {
    const { table } = scope;
    const readValue = cachedValues(scope, reader);
    return async (keys: readonly string[]): Promise<Map<string, string>> => {
      const secrets = await findSecrets(table, keys);
      const loaded = await Promise.all(
        [...secrets.values()].map(async ({ id, key, status, valueId }) => {
          if (status !== 'active' || valueId === null) return [];
          const value = await readValue(id, valueId);
          return value === undefined ? [] : [[key, value] as const];
        }),
      );
      return new Map(loaded.flat());
    };
  },
);
