import { SecretKey } from '../../core/secret-references.ts';
import { decode } from '../../platform/data/entity.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { type Secret, secretEntity } from './secret.ts';

/** The current secrets of these keys, with any status, by key. */
export async function findSecrets(table: TenantTable, keys: readonly string[]): Promise<Map<string, Secret>> {
  const possible = keys.filter((key) => SecretKey.safeParse(key).success);
  if (possible.length === 0) return new Map();
  const items = await table.getMany(
    possible.map((key) => secretEntity.key({ key })),
    { consistent: true },
  );
  const secrets = items.filter((item) => item !== undefined).map((item) => decode(secretEntity, item));
  return new Map(secrets.map((secret) => [secret.key, secret]));
}
