import { createLoadingCache } from '../../core/cache.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { SecretReader } from './secret-vault.ts';

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
