import { loadingCache } from '../../core/cache.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { findSecrets } from './find-secrets.ts';
import { type SecretReader, secretReader } from './secret-vault.ts';

/** A version of Secrets Manager never changes. Who asks for one while it is loaded gets the same. */
const versions = loadingCache<string | undefined>({ entriesMax: 500, ttlMs: 600_000 });

/**
 * The values of secrets, by their keys; absent are those that are missing, have no value yet or were revoked. The
 * table is asked each time, so that a rotation and a deletion hold at once.
 * @throws when a value cannot be read, for which the secret is not to blame.
 */
export const secretValues = /* @__PURE__ */ using(
  ['table:read', secretReader],
  (scope: Scope, reader: SecretReader = secretReader(scope)) => {
    const { table } = scope;
    return async (keys: readonly string[]): Promise<Map<string, string>> => {
      const secrets = await findSecrets(table, keys);
      const loaded = await Promise.all(
        [...secrets.values()].map(async ({ id, key, status, valueId }) => {
          if (status !== 'active' || valueId === null) return [];
          const value = await versions(`${table.tenant} ${id} ${valueId}`, () => reader.read(id, valueId));
          if (value === undefined) return [];
          rememberSecretValue(value);
          return [[key, value] as const];
        }),
      );
      return new Map(loaded.flat());
    };
  },
);
