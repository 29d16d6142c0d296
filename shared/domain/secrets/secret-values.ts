import { loadingCache } from '../../core/cache.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { findSecrets } from './find-secrets.ts';
import { type SecretReader, secretReader } from './secret-vault.ts';

/** Versions in Secrets Manager are immutable. Concurrent requests for one share the load. */
const versions = loadingCache<string | undefined>({ entriesMax: 500, ttlMs: 600_000 });

/**
 * The values of secrets by key; without those that are missing, pending or revoked. Reads the table each time, so that
 * rotations and deletions take effect at once. @throws if a value cannot be read because of an outage.
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
