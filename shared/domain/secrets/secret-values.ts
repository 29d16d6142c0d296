import { createLoadingCache } from '../../core/cache.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { findSecrets } from './find-secrets.ts';
import { type SecretReader, secretReader } from './secret-vault.ts';

export interface VersionedValue {
  value: string;
  /** Changes with the value. Says nothing about it. */
  version: string;
}

/** Without missing, pending and revoked ones. Reads the table each time: rotations apply at once. @throws in an outage. */
export const versionedSecrets = /* @__PURE__ */ using(
  ['table:read', secretReader],
  (scope: Scope, reader: SecretReader = secretReader(scope)) => {
    const { table } = scope;
    const readValue = createCachedReader(scope, reader);
    return async (keys: readonly string[]): Promise<Map<string, VersionedValue>> => {
      const secrets = await findSecrets(table, keys);
      const loaded = await Promise.all(
        [...secrets.values()].map(async ({ id, key, status, valueId }) => {
          if (status !== 'active' || valueId === null) return [];
          const value = await readValue(id, valueId);
          return value === undefined ? [] : [[key, { value, version: valueId }] as const];
        }),
      );
      return new Map(loaded.flat());
    };
  },
);

/** Their versions, with a text that is no value in place of each: for what plans with them and sends nothing. */
export const secretVersions = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (keys: readonly string[]): Promise<Map<string, VersionedValue>> => {
      const secrets = await findSecrets(table, keys);
      const entries = [...secrets.values()].flatMap(({ key, status, valueId }) =>
        status === 'active' && valueId !== null
          ? [[key, { value: `(the value of ${key})`, version: valueId }] as const]
          : [],
      );
      return new Map(entries);
    },
);

/** The same without their versions. */
export const secretValues = /* @__PURE__ */ using(
  [versionedSecrets],
  (scope: Scope, reader?: SecretReader) =>
    async (keys: readonly string[]): Promise<Map<string, string>> => {
      const secrets = await versionedSecrets(scope, reader)(keys);
      return new Map([...secrets].map(([key, { value }]) => [key, value]));
    },
);

/** Versions in Secrets Manager are immutable. Concurrent requests for one share the load. */
const versions = createLoadingCache<string | undefined>({ entriesMax: 500, ttlMs: 600_000 });

/** Reads values through the cache of the process; undefined for a value that is being deleted. */
export const createCachedReader =
  ({ table: { tenant } }: { table: Pick<TenantTable, 'tenant'> }, reader: SecretReader) =>
  async (id: string, valueId: string): Promise<string | undefined> => {
    const value = await versions(`${tenant} ${id} ${valueId}`, () => reader.read(id, valueId));
    if (value !== undefined) rememberSecretValue(value);
    return value;
  };
